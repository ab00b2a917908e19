//! Which endpoint an input is for. The input names it; any other text chooses one by rendezvous hashing, so that a new
//! row of the table takes its share of those texts from the others and moves nothing else.

/// The name that equals the text, or the one with the highest score for it.
pub fn choose<'a>(text: &[u8], names: impl IntoIterator<Item = &'a str>) -> &'a str {
    let rank = |name: &&str| (name.as_bytes() == text, score(text, name.as_bytes()));
    names.into_iter().max_by_key(rank).expect("the table has rows")
}

/// The input's first line, and what follows its line break.
pub fn first_line(input: &[u8]) -> (&[u8], &[u8]) {
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}

/// FNV-1a over both, then the finalizer of SplitMix64, so that every bit counts in a comparison.
fn score(text: &[u8], name: &[u8]) -> u64 {
    const SEPARATOR: &[u8] = &[0xff];
    let bytes = [text, SEPARATOR, name].into_iter().flatten();
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
pub mod tests {
    use paysvc_spec::ENDPOINTS;

    use super::*;

    pub fn names<'a>() -> impl Iterator<Item = &'a str> {
        ENDPOINTS.iter().map(|row| row.name)
    }

    /// Names of rows that the table might get.
    pub fn made_up_names() -> Vec<String> {
        (0..50).map(|index| format!("made_up_{index}")).collect()
    }

    /// Texts that name no endpoint, as a fuzzer makes them: a new row takes only its share of them.
    #[test]
    fn a_new_row_takes_its_share_of_the_other_texts_and_moves_none() {
        const TEXTS: usize = 1000;
        let texts: Vec<_> = (0..TEXTS).map(|index| format!("order_refun{index}")).collect();
        let share = TEXTS / (ENDPOINTS.len() + 1);
        for row in ENDPOINTS {
            let chosen = texts.iter().filter(|text| choose(text.as_bytes(), names()) == row.name).count();
            assert!((share / 2..3 * share).contains(&chosen), "{} gets {chosen} of {TEXTS} texts", row.name);
        }
        for added in made_up_names() {
            let mut taken = 0;
            for text in &texts {
                let (before, after) =
                    (choose(text.as_bytes(), names()), choose(text.as_bytes(), names().chain([&*added])));
                assert!(after == before || after == added, "{text} moves from {before} to {after}");
                taken += usize::from(after == added);
            }
            assert!((share / 2..2 * share).contains(&taken), "{added} takes {taken} of {TEXTS} texts");
        }
    }
}
