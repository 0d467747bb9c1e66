import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlace, printPlace } from "./place";

test("a place is kept in the address, and what else the address says stays", () => {
  const place = { row: 8, fn: "fused_conv & more", form: "unified", tab: "outputs" } as const;
  const query = printPlace(place, "?a=one&row=3&b=two");
  assert.deepEqual(parsePlace(query, "split"), place);
  assert.match(query, /a=one/);
  assert.match(query, /b=two/);
  assert.equal(printPlace({ ...place, row: -1, fn: "", tab: "difference" }, query), "?a=one&b=two&view=unified");
});

test("what is no place is where the page starts", () => {
  assert.deepEqual(parsePlace("?row=x&view=wide&tab=none", "split"), { row: -1, fn: "", form: "split", tab: "difference" });
});
