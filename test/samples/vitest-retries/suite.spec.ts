/** Tests with retries, some of which are expected to fail. Versions of Vitest differ in when they run these again. */
import { test } from 'vitest';

/** Throws in these tries, counted from 1. */
function throwingIn(...failing: number[]) {
  let tries = 0;
  return () => {
    tries += 1;
    if (failing.includes(tries)) throw new Error(`no stock in try ${tries}`);
  };
}

const retry = 2;
test.fails('throws in each try', { retry }, throwingIn(1, 2, 3));
test.fails('never throws', { retry }, throwingIn());
test.fails('throws only in the first try', { retry }, throwingIn(1));
test.fails('throws only in the second try', { retry }, throwingIn(2));
test.fails('throws without retries', throwingIn(1));
test('passes in the third try', { retry }, throwingIn(1, 2));
test('never passes', { retry }, throwingIn(1, 2, 3));
