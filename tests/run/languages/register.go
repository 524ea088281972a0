// SPDX-License-Identifier: MIT

// Registers an event, and writes three of it, by system calls of Go's own.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const register = 0xc0082a00

var word uint32 // memory that does not move

func main() {
	command := append([]byte(os.Args[1]+" u32 number"), 0)
	request := make([]byte, 28)
	data, err := os.OpenFile("/sys/kernel/tracing/user_events_data", os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	binary.LittleEndian.PutUint32(request, 28)
	request[5] = 4
	binary.LittleEndian.PutUint64(request[8:], uint64(uintptr(unsafe.Pointer(&word))))
	binary.LittleEndian.PutUint64(request[16:], uint64(uintptr(unsafe.Pointer(&command[0]))))
	_, _, code := syscall.Syscall(syscall.SYS_IOCTL, data.Fd(), register, uintptr(unsafe.Pointer(&request[0])))
	runtime.KeepAlive(command)
	if code != 0 {
		panic(code)
	}
	for number := uint32(0); number < 3; number++ {
		event := append([]byte{}, request[24:28]...)
		event = binary.LittleEndian.AppendUint32(event, number)
		if _, err := data.Write(event); err != nil {
			panic(err)
		}
	}
	fmt.Println("enabled", word)
}
