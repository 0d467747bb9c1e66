// Putting things off.

// debounce runs fn once, delay ms after the last call.
export function debounce(delay: number, fn: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(fn, delay);
  };
}
