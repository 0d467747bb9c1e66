// The draft of a text that leads from one page to the editor.

const key = "irscope.draft";

// keepDraft hands a text to the editor, which the next page opens. It returns false where the browser keeps nothing.
export function keepDraft(name: string, text: string): boolean {
  try {
    sessionStorage.setItem(key, JSON.stringify({ name, text }));
    return true;
  } catch {
    return false;
  }
}

export function takeDraft(): { name: string; text: string } | null {
  try {
    const draft = JSON.parse(sessionStorage.getItem(key) ?? "null") as { name: string; text: string } | null;
    sessionStorage.removeItem(key);
    return draft;
  } catch {
    return null;
  }
}
