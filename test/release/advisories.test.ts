/** The questions to OSV, against a server that speaks its documented format. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { bind, getPort, LOCALHOST } from '#infra/local/host/loopback.ts';
import { findAdvisories, formatAdvisories, listSevere } from '#infra/release/advisories.ts';
import { freePort } from '#test/infra/local/child.ts';

const sbomOf = (purls: readonly string[]): string => JSON.stringify({ components: purls.map((purl) => ({ purl })) });

const Asked = z.object({
  queries: z.array(z.object({ package: z.object({ purl: z.string() }), page_token: z.string().optional() })).max(1000),
});

interface Vulnerability {
  readonly purls: readonly string[];
  /** What OSV knows about it, in the OSV schema. */
  readonly record: object;
}

/** Answers one advisory per page, in the order of the ids. */
async function osv(vulnerabilities: Readonly<Record<string, Vulnerability>>) {
  const batches: number[] = [];
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const [, id = ''] = /^\/v1\/vulns\/(.+)$/.exec(request.url ?? '') ?? [];
    const known = vulnerabilities[id];
    if (request.method === 'GET' && known) return answer(200, { id, ...known.record });
    const query = Asked.safeParse(JSON.parse((await text(request)) || '{}'));
    if (request.url !== '/v1/querybatch' || !query.success) return answer(400, { code: 3, message: 'Invalid query.' });
    const { queries } = query.data;
    batches.push(queries.length);
    const results = queries.map(({ package: { purl }, page_token: token = '0' }) => {
      const ids = Object.keys(vulnerabilities).filter((one) => vulnerabilities[one]?.purls.includes(purl));
      const page = Number(token);
      const vulns = ids.slice(page, page + 1).map((one) => ({ id: one, modified: '2026-11-01T00:00:00Z' }));
      if (vulns.length === 0) return {};
      return page + 1 < ids.length ? { vulns, next_page_token: String(page + 1) } : { vulns };
    });
    return answer(200, { results });
  });
  await bind(server, 0);
  onTestFinished(() => void server.close());
  return { url: `http://${LOCALHOST}:${getPort(server)}`, batches };
}

const LEFT = 'pkg:npm/left@1.0.0';
const RIGHT = 'pkg:npm/%40acme/right@2.0.0';

describe('Advisories of a release', () => {
  test('are those that OSV knows about the packages of its bill of materials, the most severe first, with all pages', async () => {
    const { url } = await osv({
      'GHSA-a': { purls: [LEFT], record: { summary: 'Slow', database_specific: { severity: 'LOW' } } },
      'GHSA-b': {
        purls: [LEFT, RIGHT],
        record: { summary: 'Open', aliases: ['CVE-1'], database_specific: { severity: 'CRITICAL' } },
      },
      'MAL-1': { purls: [RIGHT], record: { details: 'It steals keys\nand more' } },
      'GHSA-c': { purls: [RIGHT], record: { summary: 'Mistake', withdrawn: '2026-11-02T00:00:00Z' } },
    });
    const report = await findAdvisories(sbomOf([RIGHT, LEFT, 'pkg:npm/fine@1.0.0']), url);
    expect(report).toEqual({
      kind: 'answered',
      packages: 3,
      advisories: [
        { id: 'GHSA-b', aliases: ['CVE-1'], severity: 'critical', summary: 'Open', packages: [RIGHT, LEFT] },
        { id: 'MAL-1', aliases: [], severity: 'unknown', summary: 'It steals keys', packages: [RIGHT] },
        { id: 'GHSA-a', aliases: [], severity: 'low', summary: 'Slow', packages: [LEFT] },
      ],
    });
    expect(listSevere(report).map(({ id }) => id)).toEqual(['GHSA-b', 'MAL-1']);
  });

  test('are asked for 1,000 packages at a time, which is the most that OSV accepts', async () => {
    const purls = Array.from({ length: 1001 }, (_, index) => `pkg:npm/p${index}@1.0.0`);
    const { url, batches } = await osv({});
    expect(await findAdvisories(sbomOf(purls), url)).toEqual({ kind: 'answered', packages: 1001, advisories: [] });
    expect(batches).toEqual([1000, 1]);
  });

  test('are unknown, and not none, if OSV does not answer, refuses or answers something else', async () => {
    const { url } = await osv({});
    const sbom = sbomOf([LEFT]);
    const offline = await findAdvisories(sbom, `http://${LOCALHOST}:${await freePort()}`);
    expect(offline).toMatchObject({ kind: 'not answered', reason: expect.stringContaining('ECONNREFUSED') });
    expect(formatAdvisories(offline, '2026-12-01')).toContain('could not be asked');
    expect(await findAdvisories(sbom, `${url}/elsewhere`)).toMatchObject({
      kind: 'not answered',
      reason: `${url}/elsewhere/v1/querybatch answered 400`,
    });
    const other = createServer((_, response) => response.end('{"results":[]}'));
    await bind(other, 0);
    onTestFinished(() => void other.close());
    expect(await findAdvisories(sbom, `http://${LOCALHOST}:${getPort(other)}`)).toMatchObject({
      kind: 'not answered',
      reason: 'OSV answered 0 of 1 queries',
    });
  });
});
