//! Direct execution: values, and ops on them that run at once.
