OpTraceCommand.run()
