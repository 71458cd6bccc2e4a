import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { recordRun } from '#test/harness/recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { failingWith, isSorted, named, places, sharedStage } from './analytics-stage.ts';

describe('The error pages of a project', () => {
  test('The pages of test errors count errors that differ only in numbers as one error, and list the tests with this error', async () => {
    const { open, member } = await sharedStage();
    const errors = await open('/errors');
    expect(errors.text).toContain('card <n> was declined');
    const href = errors.links.find((link) => link.includes('/errors/one') && link.includes('declined')) ?? '';
    const shown = await member.get(href);
    expect(shown.text).toMatch(/Occurrences\s*4\s*Tests\s*2\s*Branches\s*1\s*main/);
    expect(isSorted(places(shown, ['breaks', 'pays']))).toBe(true);
    expect(shown.text).toMatch(/Latest failure\s*breaks.*card 17 was declined/s);
    const latest = await member.get(shown.links.find((link) => link.includes('/test?test_id=')) ?? '');
    expect(latest.text).toContain('card 17 was declined');
    expect((await open('/errors/one?message=unknown')).status).toBe(404);
    expect((await open('/errors?error_message=unknown')).text).toContain(
      'No error in this period matches these filters',
    );
  });

  test('If a test fails with different errors in two groups, the page of an error shows the failure in the group that has this error', async () => {
    const here = await service();
    const suite = (message: string) => ({ tests: { [named('pays')]: failingWith(message) } });
    await recordRun(here, { chromium: suite('Error: the bank is closed'), firefox: suite('Error: the card is lost') });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    for (const message of ['the bank is closed', 'the card is lost']) {
      const query = new URLSearchParams({ error_message: message });
      const errors = await member.get(`/${here.organizationId}/${here.projectId}/errors?${query}`);
      const { text } = await member.get(errors.links.find((link) => link.includes('/errors/one')) ?? '');
      expect(text.slice(text.indexOf('Latest failure'), text.indexOf('Occurrences per day'))).toContain(message);
    }
  });

  test('The list of errors and the page of an error mask secrets in error messages', async () => {
    const here = await service();
    const token = 'AKIAIOSFODNNEXAMPLEQ';
    await uploadRun(here, { [named('leaks')]: failingWith(`Error: bad token ${token}`) });
    await compileRuns(here);
    const member = await signedIn(here, 'member');
    const errors = await member.get(`/${here.organizationId}/${here.projectId}/errors`);
    expect(errors.text).toContain('bad token');
    expect(errors.html).not.toContain(token);
    const href = errors.links.find((link) => link.includes('/errors/one')) ?? '';
    const shown = await member.get(href);
    expect(shown.text).toMatch(/Occurrences\s*1\s*Tests\s*1\s*Branches\s*1\s*main/);
    expect(shown.html).not.toContain(token);
  });
});

describe('The page of a failed test', () => {
  test('links to the same error in all runs, unless a Guest opens the page', async () => {
    const { open, member, ...here } = await sharedStage();
    const feed = await open('/runs');
    const run = await member.get(feed.links.find((link) => /\/runs\/[0-9a-f]+$/.test(link)) ?? '');
    const failure = run.links.find((link) => link.includes('/test?test_id=')) ?? '';
    const { links } = await member.get(failure);
    const alike = links.find((link) => link.includes('error_message=')) ?? '';
    expect((await member.get(alike)).text).toMatch(/card <n> was declined[^<]*421/);
    const guest = await signedIn({ ...here }, 'guest');
    expect((await guest.get(failure)).html).not.toContain('error_message=');
  });
});
