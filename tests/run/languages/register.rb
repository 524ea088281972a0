# SPDX-License-Identifier: MIT
# Registers an event, and writes three of it.
require "fiddle"

word = Fiddle::Pointer.malloc(4, Fiddle::RUBY_FREE)
word[0, 4] = [0].pack("L")
command = Fiddle::Pointer["#{ARGV[0]} u32 number\0"]
request = [28, 0, 4, 0, word.to_i, command.to_i, 0].pack("LCCSQQL")

data = File.open("/sys/kernel/tracing/user_events_data", File::RDWR)
data.ioctl(0xc0082a00, request)
index = request.unpack1("L", offset: 24)
3.times { |number| data.syswrite([index, number].pack("LL")) }
puts "enabled #{word[0, 4].unpack1('L')}"
