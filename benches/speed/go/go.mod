module bench

go 1.21

require paysvc.example/go/paysvc v0.0.0

replace paysvc.example/go/paysvc => ../../../bindings/go
