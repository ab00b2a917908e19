module paysvc.example/go/paysvc

go 1.21
