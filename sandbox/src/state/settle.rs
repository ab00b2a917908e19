//! Does what is due.

use super::State;
use super::due::Due;
use crate::clock::Moment;

impl State {
    /// Does everything that is due. What was done meanwhile by a call is left alone.
    pub fn settle(&mut self, now: Moment) {
        while let Some(due) = self.agenda.take(now) {
            match due {
                Due::Refund { order, refund } => self.complete_refund(&order, &refund),
                Due::Expiry { payment } => _ = self.expire_payment(&payment),
            }
        }
    }
}
