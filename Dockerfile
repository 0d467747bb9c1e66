# irscope in a container: docker build -t irscope . && docker run --rm -p 127.0.0.1:8080:8080 -v irscope:/data irscope
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /irscope ./cmd/explorer && mkdir /data

# The program needs no file but its own.
FROM scratch
COPY --from=build /irscope /irscope
COPY --from=build --chown=65534:65534 /data /data
USER 65534
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/irscope"]
CMD ["serve", "--addr", ":8080", "--host", "localhost", "--data", "/data"]
