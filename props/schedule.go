package props

// noteSchedule notes the schedule that the kernel follows beside the claimed one.
func (f *Failure) noteSchedule(*Trial) {}
