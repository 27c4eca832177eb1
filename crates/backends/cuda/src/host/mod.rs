//! This machine as a device.
