import { expect, test } from 'vitest';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, failed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const SPEC = 'cart.spec.ts';
const NAME = `${SPEC} > sums`;

/** The pages of a test that failed in this many runs with this error. */
async function stage({ runs, message }: { readonly runs: number; readonly message: string }) {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const project = `/${here.organizationId}/${here.projectId}`;
  let failure = '';
  for (let run = 0; run < runs; run += 1) {
    clock.advance(60_000);
    const state = failed({ attempts: [attempt('failed', { errors: [{ message, stack: '', snippet: null }] })] });
    const { runId } = await upload(
      here,
      [suiteGroup('unit', [NAME])],
      [batchInstance('unit', SPEC, { [NAME]: state })],
      {
        ciBuildId: `build-${run}`,
      },
    );
    const { links } = await guest.get(`${project}/runs/${runId}`);
    failure = links.find((link) => link.includes('/test?test_id=')) ?? '';
  }
  const history = (await guest.get(failure)).links.find((link) => link.includes('/tests/')) ?? '';
  return { guest, failure, history };
}

test('The link to older executions of a test keeps the period and all filters', async () => {
  const { guest, history } = await stage({ runs: 2, message: 'wrong sum' });
  const filters =
    'limit=1&branches%5B%5D=main&status%5B%5D=failed&flaky=false&date_start=2020-01-01&date_end=2040-01-01';
  const { links } = await guest.get(`${history}?${filters}`);
  const older = links.find((link) => link.includes('starting_after=')) ?? '';
  expect(older).toMatch(
    /^\/.*\?limit=1&branches%5B%5D=main&status%5B%5D=failed&flaky=false&date_start=2020-01-01&date_end=2040-01-01&starting_after=/,
  );
  expect((await guest.get(older)).status).toBe(200);
});

test('The page of a failure colors text in the first 16 of 256 terminal colors, and shows text in other extended colors without color', async () => {
  const colored = ['38;5;9m', '1;38;5;2m', '38;5;201m', '38;2;1;2;31m', '48;5;1m'];
  const message = `Error: wrong\n${colored.map((sequence) => `\u001b[${sequence}text\u001b[0m`).join('|')}`;
  const { guest, failure } = await stage({ runs: 1, message });
  expect((await guest.get(failure)).html).toContain(
    '<span class="red">text</span>|<span class="green bold">text</span>|text|text|text',
  );
});
