//go:build !linux

package fsx

func limitFileSize(uint64) {}
