// Package browser tests the page in a real Chromium: every flow a visitor has, by mouse and by keyboard, in both themes, with no
// error on the console and no violation of the Content-Security-Policy.
//
// The tests need Chromium. Where it is missing they skip with one line that says how to install it; with E2E_REQUIRED=1 that is a
// failure. CHROME_BIN names another browser, E2E_SCREENS a folder for screenshots of every page and size, and E2E_README=1 writes
// the pictures of the documents, which make screenshot does.
package browser
