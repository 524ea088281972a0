// SPDX-License-Identifier: MIT
//! Registers an event, and writes three of it: the standard library alone.
use std::fs::OpenOptions;
use std::io::{Error, Write};
use std::os::raw::{c_int, c_ulong};
use std::os::unix::io::AsRawFd;
use std::ptr::addr_of;
use std::sync::atomic::{AtomicU32, Ordering};

#[repr(C, packed)]
struct Request {
    size: u32,
    enable_bit: u8,
    enable_size: u8,
    flags: u16,
    enable_address: u64,
    command: u64,
    write_index: u32,
}

extern "C" {
    fn ioctl(fd: c_int, request: c_ulong, argument: *mut Request) -> c_int;
}

static WORD: AtomicU32 = AtomicU32::new(0);

fn main() -> Result<(), Error> {
    let name = std::env::args().nth(1).expect("a name");
    let command = format!("{name} u32 number\0");
    let mut data = OpenOptions::new().read(true).write(true).open("/sys/kernel/tracing/user_events_data")?;
    let mut request = Request {
        size: 28,
        enable_bit: 0,
        enable_size: 4,
        flags: 0,
        enable_address: addr_of!(WORD) as u64,
        command: command.as_ptr() as u64,
        write_index: 0,
    };

    if unsafe { ioctl(data.as_raw_fd(), 0xc0082a00, &mut request) } != 0 {
        return Err(Error::last_os_error());
    }
    for number in 0..3u32 {
        let index = request.write_index;
        let event = [index.to_ne_bytes(), number.to_ne_bytes()].concat();
        data.write_all(&event)?;
    }
    println!("enabled {}", WORD.load(Ordering::Relaxed));
    Ok(())
}
