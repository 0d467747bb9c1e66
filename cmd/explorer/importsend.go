package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/irscope/irscope/instruments/event"
)

// sendDump sends a dump to a server: it makes a session, says where it can be seen, and then sends what comes.
func sendDump(ctx context.Context, w io.Writer, server, name string, in io.Reader) error {
	if !isURL(server) {
		return usageError{fmt.Errorf("--to is %q, expected the address of a server such as http://127.0.0.1:8080", server)}
	}
	server = strings.TrimRight(server, "/")
	body, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return fmt.Errorf("encode name: %w", err)
	}
	var made struct {
		Session struct {
			ID string `json:"id"`
		} `json:"session"`
		Run struct {
			ID string `json:"id"`
		} `json:"run"`
		Token string `json:"edit_token"`
	}
	if err := ask(ctx, server+"/api/dumps", "application/json", "", bytes.NewReader(body), &made); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s/s/%s\n", server, made.Session.ID)
	var end struct {
		Run struct {
			State string `json:"state"`
		} `json:"run"`
		Error *event.Error `json:"error"`
	}
	if err := ask(ctx, server+"/api/runs/"+made.Run.ID+"/dump", "text/plain", made.Token, in, &end); err != nil {
		return err
	}
	if end.Error != nil {
		return end.Error
	}
	return nil
}

// ask posts a body and reads the answer.
func ask(ctx context.Context, url, kind, token string, body io.Reader, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return usageError{fmt.Errorf("--to: %w", err)}
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("cannot reach the server: %w", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("read the answer of the server: %w", err)
	}
	if res.StatusCode >= 300 {
		var said struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(data, &said) == nil && said.Error.Message != "" {
			return fmt.Errorf("the server refused: %s", said.Error.Message)
		}
		return fmt.Errorf("the server responded with %s", res.Status)
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("the answer of the server is not the expected JSON: %w", err)
	}
	return nil
}
