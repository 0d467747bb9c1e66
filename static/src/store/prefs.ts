// What the reader prefers. It is no part of a link. Storage may be forbidden: then it lasts as long as the page.

// Keeper keeps texts by name for the next visit, as the storage of a browser does. It may throw.
export interface Keeper {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

const memory = new Map<string, string>();
let keeper: Keeper | null = null;

// keepIn says where preferences are kept.
export function keepIn(place: Keeper): void {
  keeper = place;
}

export function setting(name: string): string | null {
  try {
    return keeper?.getItem(`irscope.${name}`) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

export function keep(name: string, value: string): void {
  memory.set(name, value);
  try {
    keeper?.setItem(`irscope.${name}`, value);
  } catch {
    // Kept in memory only.
  }
}
