//! Does what is due.

use super::State;
use super::due::Due;
use crate::util::clock::Moment;

impl State {
    /// Ends everything whose time has come.
    pub fn settle_due(&mut self) {
        self.settle_payouts();
        self.settle_agenda(Moment::now());
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
