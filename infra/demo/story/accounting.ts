/** The project Accounting, whose runs are imported: three jobs of each build upload a report of pytest. */
import { makeFacts, minutesBefore, timeOfDay } from './large-runs.ts';
import { drawFraction } from './noise.ts';
import { formatBuildId } from './plan.ts';
import { buildRunFacts, type FactsOfRun } from './run-facts.ts';
import type { StoryReport, StoryRun } from './story-run.ts';

interface ReportedCase {
  readonly className: string;
  readonly name: string;
  readonly seconds: number;
  /** The content of the element, if the test did not pass. */
  readonly problem?: string;
}

const MARKETS = ['at', 'be', 'ch', 'de', 'dk', 'es', 'fr', 'it', 'nl', 'pl', 'se', 'uk'] as const;

/** For each job, the modules of its report and the functions of each. */
const JOBS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  unit: {
    'tests.unit.test_tax': MARKETS.flatMap((market) => [`test_rate[${market}]`, `test_rounds_once[${market}]`]),
    'tests.unit.test_ledger': ['test_balances', 'test_rejects_a_closed_year', 'test_reverses_an_entry', 'test_sums'],
    'tests.unit.test_currency': MARKETS.map((market) => `test_format[${market}]`),
  },
  integration: {
    'tests.integration.test_bank': ['test_reads_a_statement', 'test_matches_payments', 'test_skips_known_entries'],
    'tests.integration.test_exports': MARKETS.map((market) => `test_tax_office[${market}]`),
    'tests.integration.test_archive': ['test_keeps_ten_years', 'test_finds_an_invoice', 'test_refuses_changes'],
  },
  api: {
    'tests.api.test_invoices': ['test_create', 'test_cancel', 'test_list', 'test_pages', 'test_requires_a_customer'],
    'tests.api.test_reminders': ['test_first', 'test_second', 'test_stops_after_payment'],
  },
};

const SECONDS_PER_TEST: Readonly<Record<string, number>> = { unit: 0.05, integration: 2.4, api: 0.9 };
const FIRST_BUILD = 58;

export function buildAccountingRuns(start: number): StoryRun[] {
  const firstBuild = makeFacts('accounting', FIRST_BUILD, {
    branch: 'main',
    day: 1,
    author: 'admin',
    message: 'Archive invoices for ten years',
  });
  const secondBuild = makeFacts('accounting', FIRST_BUILD + 1, {
    branch: 'main',
    day: 0,
    author: 'member',
    message: 'Follow the new form of the tax office',
  });
  return [
    buildImportedRun(firstBuild, timeOfDay(start, 1, 9.5), () => undefined),
    buildImportedRun(secondBuild, minutesBefore(start, 230), findProblem),
  ];
}

function buildImportedRun(
  facts: FactsOfRun,
  createdAt: number,
  problemOf: (className: string, name: string) => string | undefined,
): StoryRun {
  const ciBuildId = formatBuildId(facts);
  const reports = Object.entries(JOBS).map(([job, modules]): StoryReport => {
    const cases = Object.entries(modules).flatMap(([className, names]) =>
      names.map((name): ReportedCase => {
        const seconds = (SECONDS_PER_TEST[job] ?? 1) * (0.4 + drawFraction('time', ciBuildId, className, name));
        const problem = problemOf(className, name);
        return { className, name, seconds, ...(problem ? { problem } : {}) };
      }),
    );
    const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
    const endsAt = Math.round(createdAt + 20_000 + seconds * 1000);
    return { job, name: `${job}.xml`, content: formatReport(cases, createdAt, seconds), endsAt };
  });
  return {
    ciBuildId,
    createdAt,
    project: 'accounting',
    facts: buildRunFacts(facts),
    suite: [],
    machines: [],
    reports: reports.toSorted((one, other) => one.endsAt - other.endsAt),
  };
}

function findProblem(className: string, name: string): string | undefined {
  if (className === 'tests.integration.test_exports' && /\[(at|de)\]/.test(name))
    return formatProblem(
      "AssertionError: assert '2025' == '2026'",
      `
    def test_tax_office(market, ledger):
        form = export(ledger, market)
&gt;       assert form.version == '2026'
E       AssertionError: assert '2025' == '2026'
E
E         - 2026
E         ?    ^
E         + 2025
E         ?    ^

tests/integration/test_exports.py:22: AssertionError`,
    );
  if (className === 'tests.api.test_reminders' && name === 'test_second')
    return formatProblem(
      'assert 409 == 201',
      `
    def test_second(client, invoice):
        remind(client, invoice)
        answer = remind(client, invoice)
&gt;       assert answer.status_code == 201
E       assert 409 == 201
E        +  where 409 = &lt;Response [409 Conflict]&gt;.status_code

tests/api/test_reminders.py:18: AssertionError`,
    );
  return undefined;
}

const formatProblem = (message: string, text: string): string =>
  `<failure message="${message.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">${text.slice(1)}</failure>`;

function formatReport(cases: readonly ReportedCase[], startedAt: number, seconds: number): string {
  const failures = cases.filter(({ problem }) => problem !== undefined).length;
  const counts = `errors="0" failures="${failures}" skipped="0" tests="${cases.length}" time="${seconds.toFixed(3)}"`;
  const lines = cases.map(
    ({ className, name, seconds: time, problem }) =>
      `<testcase classname="${className}" name="${name}" time="${time.toFixed(3)}">${problem ?? ''}</testcase>`,
  );
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<testsuites name="pytest tests">',
    `<testsuite name="pytest" ${counts} timestamp="${new Date(startedAt).toISOString()}" hostname="runner">`,
    ...lines,
    '</testsuite>',
    '</testsuites>',
  ].join('\n');
}
