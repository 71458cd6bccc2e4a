import { expect, test } from 'vitest';
import { listPlaywrightTags } from '#infra/client/reporters/playwright-tags.ts';

test('The tags of a Playwright test are those that Playwright reports, and, with versions before 1.42, those in the title of the test', () => {
  const title = ['payment @bank', 'pays by invoice @slow @b2b, or e-mail'];
  expect(listPlaywrightTags({ tags: ['@stock'] }, title)).toEqual(['@stock']);
  expect(listPlaywrightTags({}, title)).toEqual(['@bank', '@slow', '@b2b,']);
});
