//! Splits a list into batches: the largest that fit, in the order of the list.

use std::collections::VecDeque;

use crate::json::decimal::Decimal;

/// Max recipients to pass over in the search for one that may share a batch. A list of equal recipients would
/// otherwise be searched to its end for every batch.
const WINDOW: usize = 64;

/// A recipient as far as splitting is concerned.
pub struct Item<'a> {
    pub index: usize,
    /// The size of its JSON.
    pub bytes: usize,
    pub account: &'a str,
    pub amount: Option<Decimal>,
    /// It shares no batch.
    pub alone: bool,
}

impl Item<'_> {
    /// A response could not distinguish the two: it names neither of their clients' references.
    fn is_like(&self, other: &Item<'_>) -> bool {
        self.amount == other.amount && self.account.trim().eq_ignore_ascii_case(other.account.trim())
    }
}

pub struct Splitter<'a, I: Iterator<Item = Item<'a>>> {
    rest: I,
    /// Passed over, in the order of the list.
    waiting: VecDeque<Item<'a>>,
    room: usize,
}

impl<'a, I: Iterator<Item = Item<'a>>> Splitter<'a, I> {
    /// `room`: the most bytes that a batch may have, with the commas between its items.
    pub fn new(items: I, room: usize) -> Splitter<'a, I> {
        Splitter { rest: items, waiting: VecDeque::new(), room }
    }
}

/// A batch takes the next recipients of the list until one does not fit. Recipients that it must not hold wait for the
/// next.
impl<'a, I: Iterator<Item = Item<'a>>> Iterator for Splitter<'a, I> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let mut batch: Vec<Item<'a>> = Vec::new();
        let (mut used, mut at) = (0, 0);
        loop {
            if at == WINDOW {
                break;
            }
            if at == self.waiting.len() {
                let Some(next) = self.rest.next() else { break };
                self.waiting.push_back(next);
            }
            let item = &self.waiting[at];
            let barred = !batch.is_empty() && (item.alone || batch.iter().any(|other| other.is_like(item)));
            if barred {
                at += 1;
                continue;
            }
            let more = item.bytes + usize::from(!batch.is_empty());
            if !batch.is_empty() && used + more > self.room {
                break;
            }
            used += more;
            batch.extend(self.waiting.remove(at));
            if batch[0].alone {
                break;
            }
        }
        (!batch.is_empty()).then(|| batch.iter().map(|item| item.index).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each recipient is its account, amount and size.
    fn split(list: &[(&str, &str, usize)], room: usize) -> Vec<Vec<usize>> {
        let items = list.iter().enumerate().map(|(index, &(account, amount, bytes))| Item {
            index,
            bytes,
            account: account.trim_start_matches('!'),
            amount: Decimal::parse(amount),
            alone: account.starts_with('!'),
        });
        Splitter::new(items, room).collect()
    }

    #[test]
    fn a_batch_holds_as_many_as_fit_in_the_order_of_the_list() {
        let list = [("1", "1", 10), ("2", "1", 10), ("3", "1", 10), ("4", "1", 30), ("5", "1", 1), ("6", "1", 1)];
        // The commas count.
        assert_eq!(split(&list, 32), [vec![0, 1, 2], vec![3, 4], vec![5]]);
        assert_eq!(split(&list, 31), [vec![0, 1], vec![2], vec![3], vec![4, 5]]);
        assert_eq!(split(&list, 1000), [vec![0, 1, 2, 3, 4, 5]]);
        assert!(split(&[], 10).is_empty());
    }

    #[test]
    fn equal_account_and_amount_never_share_a_batch() {
        let same =
            [("7", "1", 1), ("7", "1", 1), ("7", "2", 1), ("8", "1", 1), (" 7 ", "1", 1), ("A", "1", 1), ("a", "1", 1)];
        assert_eq!(split(&same, 1000), [vec![0, 2, 3, 5], vec![1, 6], vec![4]]);
    }

    #[test]
    fn one_that_was_refused_with_others_is_sent_alone() {
        let list = [("!1", "1", 1), ("!2", "1", 1), ("3", "1", 1), ("!4", "1", 1), ("5", "1", 1)];
        assert_eq!(split(&list, 1000), [vec![0], vec![1], vec![2, 4], vec![3]]);
    }

    #[test]
    fn everyone_is_in_one_batch_and_equal_recipients_take_no_quadratic_time() {
        const MANY: usize = 10_000;
        let items = |like: bool| {
            (0..MANY).map(move |index| Item {
                index,
                bytes: 100,
                account: ["1", "2", "3"][if like { 0 } else { index % 3 }],
                amount: Decimal::parse("1"),
                alone: false,
            })
        };
        assert!(Splitter::new(items(true), 481).map(|batch| batch[0]).eq(0..MANY));
        let mut all: Vec<usize> = Splitter::new(items(false), 481).flatten().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..MANY));
    }
}
