A warning is printed for a program that a library cannot serve.

  $ cairn run -- static_program
  cairn run: warning: */static_program is linked statically: it runs without emulation (glob)
  no user_events
  $ printf '#!%s\n' $(command -v static_program) > script; chmod +x script; cairn run ./script
  cairn run: warning: ./script is linked statically: it runs without emulation
  no user_events
  $ cairn run -q static_program
  no user_events
