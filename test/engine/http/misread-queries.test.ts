import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { sampled } from '#test/harness/cases.ts';
import { authorized, goodRequest, sharedWorld, validCredential } from './sample-requests.ts';
import { send } from './wire.ts';

const reading = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter(({ query }) => Object.keys(query.shape).length > 0)
  .map((declaration, row) => [declaration.operationId, declaration, row] as const);

/**
 * The parameters to test. `npm test` tests every third parameter of an operation, and at least one. Which parameter
 * comes first differs from operation to operation.
 */
const someParameters = ({ query }: Declaration, row: number): readonly string[] => {
  const all = Object.keys(query.shape);
  return sampled(all, Math.min(3, all.length), row);
};

/**
 * Returns a function that sends a valid request to the operation, with its argument appended to the query. The query
 * leaves out the parameter named `without`.
 */
async function asker(declaration: Declaration, without = '') {
  const { tenant, world } = await sharedWorld();
  const credential = await validCredential(tenant, declaration);
  const request = authorized(declaration, goodRequest(declaration, world), credential);
  const [bare, query = ''] = request.path.split('?');
  const rest = query.split('&').filter((part) => part !== '' && !part.startsWith(`${without}=`));
  const headers = request.headers?.filter(([name]) => name !== 'accept-encoding') ?? [];
  return async (added: string) => {
    const path = `${bare}?${[...rest, added].join('&')}`;
    const { status, body } = await send(tenant.origin, { ...request, headers, path });
    return { status, error: String(JSON.parse(body.toString()).error) };
  };
}

describe('A query parameter', () => {
  test.each(reading)(
    'A query with a parameter that is not percent-encoded correctly is refused, and the error names the parameter: %s',
    async (_, declaration, place) => {
      const ask = await asker(declaration);
      for (const [row, name] of someParameters(declaration, place).entries()) {
        const all = [`${name}=%`, `${name}[]=%4`, `${name}%5B0%5D=%zz`, `${name}={}`, `${name}=a|b`];
        for (const added of sampled(all, 5, place + row)) {
          const { status, error } = await ask(added);
          expect(status, added).toBe(400);
          expect(error).toContain(`\`${decodeURIComponent(added.split('=')[0] ?? '')}\``);
          expect(error).toContain('Percent-encode');
        }
      }
    },
  );

  test.each(reading)(
    'A query with a `;` in a value is refused, and the error names the part that would be lost: %s',
    async (_, declaration, place) => {
      const ask = await asker(declaration);
      for (const [row, name] of someParameters(declaration, place + 1).entries()) {
        for (const value of sampled(['a;b', ';b', 'a;b=', 'a;b=c', 'a;b[]=c', 'a;b[0]=c'], 6, place + row)) {
          const { status, error } = await ask(`${name}=${value}`);
          expect(status, value).toBe(400);
          expect(error).toContain('`b');
          expect(error).toContain('If a value contains `;`, encode it as %3B');
        }
      }
    },
  );

  test.each(reading)('A percent-encoded `;` in a query never splits the value: %s', async (_, declaration, place) => {
    const ask = await asker(declaration);
    for (const name of someParameters(declaration, place + 2)) {
      expect((await ask(`${name}=a%3Bb`)).error).not.toContain('Unknown parameter');
    }
  });

  test('A query parameter with HTML in its name is refused, and the error does not contain the HTML', async () => {
    const [, declaration] = reading[0] ?? [];
    if (!declaration) throw new Error('No operation has a parameter');
    const { status, error } = await (await asker(declaration))(`%22%3Cb%3E${'x'.repeat(3000)}=%`);
    expect(status).toBe(400);
    expect(error).not.toContain('<b>');
    expect(error.length).toBeLessThan(300);
  });
});

describe('A date-time without an offset', () => {
  const dates = reading.flatMap(([operationId, declaration]) =>
    Object.keys(declaration.query.shape)
      .filter((name) => name.startsWith('date_'))
      .map((name, row) => [`${operationId} ${name}`, declaration, name, row] as const),
  );
  const times = ['2026-11-02T09:00', '2026-11-02T09:00:00', '2026-11-02T09:00:00.123', '2026-11-02t09:00:00'];

  test('The tests of date-times without an offset cover every date parameter of the API', () => {
    expect(dates.map(([name]) => name).sort()).toEqual([
      'getInsights date_end',
      'getInsights date_start',
      'getTestResults date_end',
      'getTestResults date_start',
      'listAffectedExecutions date_end',
      'listAffectedExecutions date_start',
      'listAffectedTests date_end',
      'listAffectedTests date_start',
      'listErrors date_end',
      'listErrors date_start',
      'listExecutionsOfAction date_end',
      'listExecutionsOfAction date_start',
      'listRuns date_end',
      'listRuns date_start',
      'listSpecFiles date_end',
      'listSpecFiles date_start',
      'listTests date_end',
      'listTests date_start',
    ]);
  });

  test.each(dates)('is refused: %s', async (_, declaration, name, row) => {
    const ask = await asker(declaration, name);
    for (const time of sampled(times, 2, row)) {
      expect(await ask(`${name}=${time}`)).toEqual({
        status: 400,
        error: `\`${name}\` has no UTC offset. Append \`Z\`, or an offset such as \`+02:00\` with its \`+\` sent as %2B`,
      });
    }
  });
});
