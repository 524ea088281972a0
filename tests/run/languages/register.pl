# SPDX-License-Identifier: MIT
# Registers an event, and writes three of it.
use strict;
use warnings;

my $word = pack("L", 0);
my $command = "$ARGV[0] u32 number\0";
my $request = pack("LCCSQQL", 28, 0, 4, 0, unpack("Q", pack("P", $word)), unpack("Q", pack("P", $command)), 0);

open(my $data, "+<:unix", "/sys/kernel/tracing/user_events_data") or die "open: $!";
ioctl($data, 0xc0082a00, $request) or die "register: $!";
my $index = unpack("x24 L", $request);
foreach my $number (0 .. 2) {
    defined(syswrite($data, pack("LL", $index, $number))) or die "write: $!";
}
print "enabled ", unpack("L", $word), "\n";
