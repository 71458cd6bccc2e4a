/**
 * The known advisories about the packages of a release, from OSV (https://google.github.io/osv.dev/api/). The release
 * lists them, or says that OSV could not be asked.
 */
import * as z from 'zod';

export const OSV_URL = 'https://api.osv.dev';

/** GitHub names four severities. An advisory without one, for example about malware, may be of any. */
const SEVERITIES = ['critical', 'high', 'unknown', 'moderate', 'low'] as const;
type Severity = (typeof SEVERITIES)[number];

export interface Advisory {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly severity: Severity;
  readonly summary: string;
  /** Package URLs, such as `pkg:npm/zod@4.0.0`. */
  readonly packages: readonly string[];
}

export type AdvisoryReport =
  | { readonly kind: 'answered'; readonly packages: number; readonly advisories: readonly Advisory[] }
  | { readonly kind: 'not answered'; readonly packages: number; readonly reason: string };

const Sbom = z.object({ components: z.array(z.object({ purl: z.string() })) });

/** Returns the reason if OSV does not answer, or answers something else than its documentation says. */
export async function findAdvisories(sbom: string, url: string = OSV_URL): Promise<AdvisoryReport> {
  const purls = [...new Set(Sbom.parse(JSON.parse(sbom)).components.map(({ purl }) => purl))].sort();
  try {
    return { kind: 'answered', packages: purls.length, advisories: await askOsv(purls, url) };
  } catch (error) {
    return { kind: 'not answered', packages: purls.length, reason: explainFailure(error) };
  }
}

/** The message of `fetch` only says that it failed. Its cause says why. */
function explainFailure(error: unknown): string {
  if (error instanceof z.ZodError) return 'the answer has not the documented form';
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

async function askOsv(purls: readonly string[], url: string): Promise<Advisory[]> {
  const purlsById = await findIds(purls, url);
  const advisories: Advisory[] = [];
  for (const [id, packages] of purlsById) {
    const advisory = await readAdvisory(id, url);
    if (advisory) advisories.push({ ...advisory, packages });
  }
  const rank = ({ severity }: Advisory) => SEVERITIES.indexOf(severity);
  return advisories.toSorted((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1));
}

const Batch = z.object({
  results: z.array(
    z.object({ vulns: z.array(z.object({ id: z.string() })).default([]), next_page_token: z.string().default('') }),
  ),
});

/** OSV answers at most this many queries at once. */
const QUERIES = 1000;

/** Results have the order of the queries. One with more advisories than fit has the token of its next page. */
async function findIds(purls: readonly string[], url: string): Promise<ReadonlyMap<string, string[]>> {
  const purlsById = new Map<string, string[]>();
  let queries: { readonly purl: string; readonly token?: string }[] = purls.map((purl) => ({ purl }));
  while (queries.length > 0) {
    const batch = queries.slice(0, QUERIES);
    const body = { queries: batch.map(({ purl, token }) => ({ package: { purl }, page_token: token })) };
    const { results } = Batch.parse(await send(`${url}/v1/querybatch`, body));
    if (results.length !== batch.length) throw new Error(`OSV answered ${results.length} of ${batch.length} queries`);
    const nextPages = batch.flatMap(({ purl }, index) => {
      const { vulns = [], next_page_token: token = '' } = results[index] ?? {};
      for (const { id } of vulns) purlsById.set(id, [...(purlsById.get(id) ?? []), purl]);
      return token === '' ? [] : [{ purl, token }];
    });
    queries = [...nextPages, ...queries.slice(QUERIES)];
  }
  return purlsById;
}

const Vulnerability = z.object({
  aliases: z.array(z.string()).default([]),
  summary: z.string().optional(),
  details: z.string().default(''),
  withdrawn: z.string().optional(),
  database_specific: z.object({ severity: z.unknown() }).partial().optional(),
});

/** Returns `undefined` for an advisory that its authors have withdrawn. */
async function readAdvisory(id: string, url: string): Promise<Omit<Advisory, 'packages'> | undefined> {
  const advisory = Vulnerability.parse(await send(`${url}/v1/vulns/${encodeURIComponent(id)}`));
  if (advisory.withdrawn !== undefined) return undefined;
  const word = String(advisory.database_specific?.severity).toLowerCase();
  const severity = SEVERITIES.find((one) => one === word) ?? 'unknown';
  const [firstLine = ''] = (advisory.summary ?? advisory.details).trim().split('\n');
  return { id, aliases: advisory.aliases, severity, summary: firstLine };
}

const MILLISECONDS = 20_000;

async function send(url: string, body?: object): Promise<unknown> {
  const signal = AbortSignal.timeout(MILLISECONDS);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, body ? { method: 'POST', headers, signal, body: JSON.stringify(body) } : { signal });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.json();
}

/** Those that a release needs a reason for. */
export const listSevere = (report: AdvisoryReport): readonly Advisory[] =>
  report.kind === 'answered'
    ? report.advisories.filter(({ severity }) => severity !== 'moderate' && severity !== 'low')
    : [];

export const formatAdvisory = ({ id, aliases, severity, summary, packages }: Advisory): string =>
  `${[id, ...aliases].join(', ')} (${severity}): ${summary}. ${packages.join(', ')}`;

/** The file of a release, in Markdown. `acceptance` is why the release is made although there are severe ones. */
export function formatAdvisories(report: AdvisoryReport, today: string, acceptance?: string): string {
  const paragraphs = ['# Known advisories', ...describeReport(report, today)];
  if (acceptance !== undefined && listSevere(report).length > 0)
    paragraphs.push(`Released nevertheless: ${acceptance}`);
  return `${paragraphs.join('\n\n')}\n`;
}

function describeReport(report: AdvisoryReport, today: string): string[] {
  const packages = `the ${report.packages} packages of sbom.cdx.json`;
  if (report.kind === 'not answered')
    return [
      `OSV (${OSV_URL}) could not be asked on ${today} about ${packages}: ${report.reason}.`,
      'So this release does not know whether there are advisories. `osv-scanner scan --sbom sbom.cdx.json` asks later.',
    ];
  if (report.advisories.length === 0) return [`On ${today}, OSV (${OSV_URL}) knew no advisory about ${packages}.`];
  return [
    `On ${today}, OSV (${OSV_URL}) knew these advisories about ${packages}:`,
    ...report.advisories.map((advisory) => `- ${formatAdvisory(advisory)}`),
  ];
}
