import { describe, expect, test } from 'vitest';
import { computeNextAttemptAt } from '#shared/sending/retry-times.ts';

const NOW = Date.parse('2026-11-02T10:00:00.000Z');
const SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
const HOUR = 3_600_000;

const waitOf = (retry: number, { retryAfter, random = 0.5 }: { retryAfter?: string; random?: number } = {}) => {
  const nextAt = computeNextAttemptAt({ retry, now: NOW, retryAfter, random });
  return nextAt === undefined ? undefined : nextAt - NOW;
};

describe('a failed delivery', () => {
  test('is retried seven times, with delays that grow from 5 s to 10 h', () => {
    const waits = Array.from({ length: 9 }, (_, retry) => waitOf(retry));
    expect(waits).toEqual([...SECONDS.map((seconds) => seconds * 1000), undefined, undefined]);
  });

  test('The retry delay has 20 % jitter, so that deliveries that failed at the same time are not retried at the same time', () => {
    SECONDS.forEach((seconds, retry) => {
      expect(waitOf(retry, { random: 0 })).toBe(seconds * 800);
      expect(waitOf(retry, { random: 1 })).toBe(seconds * 1200);
    });
    const waits = Array.from({ length: 100 }, (_, draw) => waitOf(3, { random: draw / 100 }));
    expect(new Set(waits).size).toBeGreaterThan(90);
  });
});

describe('Retry-After', () => {
  test('delays the next attempt by a number of seconds or until a date', () => {
    expect(waitOf(0, { retryAfter: '3600' })).toBe(HOUR);
    expect(waitOf(0, { retryAfter: 'Mon, 02 Nov 2026 11:00:00 GMT' })).toBe(HOUR);
  });

  test('does not make the next attempt earlier', () => {
    expect(waitOf(2, { retryAfter: '1' })).toBe(1_800_000);
    expect(waitOf(2, { retryAfter: 'Mon, 02 Nov 2026 10:00:01 GMT' })).toBe(1_800_000);
    expect(waitOf(2, { retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' })).toBe(1_800_000);
  });

  test('delays the next attempt by at most one day', () => {
    expect(waitOf(0, { retryAfter: String(24 * 3600) })).toBe(24 * HOUR);
    expect(waitOf(0, { retryAfter: String(24 * 3600 + 1) })).toBe(24 * HOUR);
    expect(waitOf(0, { retryAfter: '9'.repeat(400) })).toBe(24 * HOUR);
    expect(waitOf(0, { retryAfter: 'Fri, 31 Dec 9999 23:59:59 GMT' })).toBe(24 * HOUR);
  });

  test('is ignored if it is invalid', () => {
    for (const retryAfter of ['', 'soon', '-1', '1.5', '2026-11-02T12:00:00Z', 'x GMT']) {
      expect(waitOf(0, { retryAfter }), retryAfter).toBe(5000);
    }
  });

  test('adds no attempt after the last one', () => {
    expect(waitOf(7, { retryAfter: '60' })).toBeUndefined();
  });
});
