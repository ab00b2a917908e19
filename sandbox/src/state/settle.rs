//! Does what is due.

use super::State;
use super::due::Due;
use super::model::{PayoutState, RefundState};
use crate::util::clock::Moment;

impl State {
    /// Ends everything whose time has come.
    pub fn settle_due(&mut self) {
        self.settle_payouts();
        self.settle_agenda(Moment::now());
    }

    /// Ends what would end by itself, whenever that is: payouts and refunds. What waits for the customer is left alone.
    /// Returns how many payouts and refunds have ended.
    pub fn settle_now(&mut self) -> (usize, usize) {
        let pending = |state: &State| {
            let payouts = state.batches.values().flat_map(|batch| &batch.payouts);
            payouts.filter(|payout| payout.state == PayoutState::Pending).count()
        };
        let before = pending(self);
        for batch in self.batches.keys().cloned().collect::<Vec<_>>() {
            self.settle_batch(&batch);
        }
        let refunds = self.orders.values().flat_map(|order| order.refunds.iter().map(move |refund| (order, refund)));
        let refunds = refunds.filter(|(_, refund)| refund.state == RefundState::Pending);
        let refunds: Vec<_> =
            refunds.map(|(order, refund)| (order.reference.clone(), refund.reference.clone())).collect();
        refunds.iter().for_each(|(order, refund)| self.complete_refund(order, refund));
        (before - pending(self), refunds.len())
    }

    /// Whatever a call has ended in the meantime is left alone.
    pub(super) fn settle_agenda(&mut self, now: Moment) {
        while let Some(due) = self.agenda.take(now) {
            match due {
                Due::Refund { order, refund } => self.complete_refund(&order, &refund),
                Due::Expiry { payment } => _ = self.expire_payment(&payment),
            }
        }
    }
}
