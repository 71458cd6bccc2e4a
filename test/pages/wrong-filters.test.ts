import { expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { sharedStage } from './analytics-stage.ts';

/** The error beside a field, and whether the field has `aria-invalid`. */
const fieldOf = (html: string, name: string) => ({
  message: new RegExp(`id="field-${name}-problem"[^>]*>([^<]*)`).exec(html)?.[1],
  isInvalid: new RegExp(`id="field-${name}"[^>]*aria-invalid="true"`).test(html),
});

test('An invalid filter of a list returns status 400, and the page shows an error beside the field and the unfiltered list', async () => {
  const { open } = await sharedStage();
  const wrong = [
    ['/tests?date_start=yesterday&title=breaks', 'date_start', 'must be an ISO 8601 date-time', 'is fine'],
    ['/runs?status[]=RED', 'status--', 'must be one of', 'build-3'],
    ['/errors?date_start=2026-11-09&date_end=2026-11-01', 'date_start', 'is after', 'card'],
    ['/insights?branches[]=', 'branches--', undefined, 'executions'],
  ] as const;
  for (const [page, name, message, row] of wrong) {
    const { status, html, text } = await open(page);
    expect(status, page).toBe(message === undefined ? 200 : 400);
    expect(text, page).toContain(row);
    const field = fieldOf(html, name);
    if (message === undefined) expect(field, page).toEqual({ message: undefined, isInvalid: false });
    else expect(field, page).toEqual({ message: expect.stringContaining(message), isInvalid: true });
  }
  expect((await open('/tests?date_start=yesterday')).html).toContain('value="yesterday"');
});

test('An invalid or unknown parameter that has no field is explained at the top of the page, above its usual content', async () => {
  const { open } = await sharedStage();
  for (const page of ['/runs?limit=999', '/runs?starting_after=nothing', '/tests?colour=red', '/tests?order=nope']) {
    const { status, text } = await open(page);
    expect([page, status]).toEqual([page, 400]);
    expect(text).toMatch(/All filters in this address were ignored\.\s?(?:Runs|Tests)/);
  }
});

test('The page of an unknown run returns 404, even if its address has an invalid filter', async () => {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const shown = await guest.get(`/${here.organizationId}/${here.projectId}/runs/nothing?verdict=nope`);
  expect(shown.status).toBe(404);
});
