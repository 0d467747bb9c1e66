// How two times compare, in words.

// isFaster says how the second time compares with that of what the first is called: "4.3 times as fast as the default".
export function isFaster(first: number, second: number, than: string): string {
  if (second <= 0 || first <= 0) return "not comparable";
  const times = first / second;
  if (times > 0.97 && times < 1.03) return `as fast as ${than}`;
  if (times >= 1) return `${digits(times)} times as fast as ${than}`;
  return `${digits(1 / times)} times as slow as ${than}`;
}

function digits(x: number): string {
  return x < 10 ? x.toFixed(x < 1.1 ? 2 : 1) : Math.round(x).toLocaleString("en");
}
