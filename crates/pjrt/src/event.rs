//! Events: what is ready, or will be.
use std::sync::{Arc, Condvar, Mutex};

use tfc_pjrt_abi::{Api, Callback, EventAwait, EventDestroy, EventError, EventIsReady, EventOnReady, Handle};

use crate::behind;
use crate::border::{Fault, guarded, handed};

/// How it ended, once it has.
type Outcome = Option<Option<Fault>>;
/// Something that happens once. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Event(Arc<State>);
#[derive(Default)]
struct State {
    inside: Mutex<Inside>,
    changed: Condvar,
}
#[derive(Default)]
struct Inside {
    outcome: Outcome,
    waiting: Vec<(Callback, usize)>,
}
impl Event {
    /// One that has happened, well.
    pub(crate) fn ready() -> Event {
        let e = Event::default();
        e.happens(None);
        e
    }
    /// As the caller gets it.
    pub(crate) fn handle(&self) -> Handle {
        Box::into_raw(Box::new(self.clone())).cast()
    }
    /// It happens now; who waits is told.
    pub(crate) fn happens(&self, fault: Option<Fault>) {
        let waiting = {
            let mut inside = self.0.inside.lock().unwrap_or_else(|e| e.into_inner());
            inside.outcome = Some(fault.clone());
            std::mem::take(&mut inside.waiting)
        };
        self.0.changed.notify_all();
        for (callback, with) in waiting {
            tell(callback, with, fault.clone());
        }
    }
    fn outcome(&self) -> Outcome {
        self.0.inside.lock().unwrap_or_else(|e| e.into_inner()).outcome.clone()
    }
    fn wait(&self) -> Option<Fault> {
        let mut inside = self.0.inside.lock().unwrap_or_else(|e| e.into_inner());
        loop {
            if let Some(outcome) = &inside.outcome {
                return outcome.clone();
            }
            inside = self.0.changed.wait(inside).unwrap_or_else(|e| e.into_inner());
        }
    }
    fn on_ready(&self, callback: Callback, with: Handle) {
        let outcome = {
            let mut inside = self.0.inside.lock().unwrap_or_else(|e| e.into_inner());
            if inside.outcome.is_none() {
                inside.waiting.push((callback, with as usize));
            }
            inside.outcome.clone()
        };
        if let Some(fault) = outcome {
            tell(callback, with as usize, fault);
        }
    }
}
fn tell(callback: Callback, with: usize, fault: Option<Fault>) {
    if let Some(f) = callback {
        // SAFETY: the caller's function, with what it gave for it; the error is its own from here on.
        unsafe { f(handed(fault), with as Handle) };
    }
}

pub(crate) const fn fill(api: Api) -> Api {
    Api {
        event_destroy: Some(destroy),
        event_is_ready: Some(is_ready),
        event_error: Some(error),
        event_await: Some(wait),
        event_on_ready: Some(on_ready),
        ..api
    }
}
unsafe extern "C" fn destroy(args: *mut EventDestroy) -> Handle {
    // SAFETY: as the header says.
    unsafe {
        guarded(args, |a| {
            if !a.event.is_null() {
                drop(Box::from_raw(a.event.cast::<Event>()));
            }
            Ok(())
        })
    }
}
unsafe extern "C" fn is_ready(args: *mut EventIsReady) -> Handle {
    // SAFETY: as the header says.
    unsafe {
        guarded(args, |a| {
            a.is_ready = behind::<Event>(a.event, "the event")?.outcome().is_some();
            Ok(())
        })
    }
}
unsafe extern "C" fn error(args: *mut EventError) -> Handle {
    // SAFETY: as the header says.
    unsafe { guarded(args, |a| behind::<Event>(a.event, "the event")?.outcome().flatten().map_or(Ok(()), Err)) }
}
unsafe extern "C" fn wait(args: *mut EventAwait) -> Handle {
    // SAFETY: as the header says.
    unsafe { guarded(args, |a| behind::<Event>(a.event, "the event")?.wait().map_or(Ok(()), Err)) }
}
unsafe extern "C" fn on_ready(args: *mut EventOnReady) -> Handle {
    // SAFETY: as the header says.
    unsafe {
        guarded(args, |a| {
            behind::<Event>(a.event, "the event")?.on_ready(a.callback, a.user_arg);
            Ok(())
        })
    }
}
