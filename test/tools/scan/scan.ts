/**
 * Runs independent scanners over the templates of every environment and of every setting. Prints each rule that the
 * templates do not follow, with the reason from accepted.ts. Exit status 0: all scanners ran, and every finding has a
 * reason. 1: a finding has none, or a reason has no finding. 3: a scanner is not installed, and nothing else is wrong.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { readIfThere } from '#infra/local/host/json-files.ts';
import { assemblyOf, type Context } from '#test/harness/assemblies.ts';
import { FULL_SETS } from '#test/infra/every-setting.ts';
import { ACCEPTED } from './accepted.ts';
import { type Finding, NotInstalled, requireProgram, SCANNERS, type Scanner } from './scanners.ts';

const USAGE = `Usage: npm run scan [-- --guard-rules <folder>] [--only <scanner>]... [--set <name>]...

Synthesizes dev, staging, prod and prod with all settings, and runs cdk-nag, cfn-lint (all regions), checkov, cfn-guard
and parliament over their templates. A virtual environment for the Python programs:
  python3 -m venv ~/.rundown-scan && ~/.rundown-scan/bin/pip install -r test/tools/scan/requirements.txt
  PATH=~/.rundown-scan/bin:$PATH npm run scan
A scanner that is not installed is named, and its step is not run.
`;

const SETS: ReadonlyArray<readonly [name: string, context: Context]> = [
  ['dev', { env: 'dev' }],
  ['staging', { env: 'staging' }],
  ['prod', { env: 'prod' }],
  ...Object.entries(FULL_SETS),
];

const SHOWN_PLACES = 10;
const OUTPUT = join(import.meta.dirname, '../../../cdk.out/scan');

interface PlacedFinding extends Finding {
  readonly scanner: string;
  readonly set: string;
}

const { values } = parseArgs({
  options: {
    'guard-rules': { type: 'string' },
    only: { type: 'string', multiple: true },
    set: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h' },
  },
});
async function scanAll(): Promise<number> {
  const assemblies: Array<readonly [string, string]> = [];
  for (const [name, context] of SETS)
    if (values.set?.includes(name) ?? true) assemblies.push([name, await assemblyOf(context)]);
  const findings: PlacedFinding[] = [];
  const missing: string[] = [];
  const ran: string[] = [];
  for (const scanner of SCANNERS.filter(({ name }) => values.only?.includes(name) ?? true)) {
    try {
      await requireProgram(scanner);
      findings.push(...(await scanEach(scanner, assemblies)));
      ran.push(scanner.name);
    } catch (error) {
      if (!(error instanceof NotInstalled)) throw error;
      missing.push(error.message);
    }
  }
  return report(findings, { ran, missing, assemblies });
}

async function scanEach(
  scanner: Scanner,
  assemblies: ReadonlyArray<readonly [string, string]>,
): Promise<PlacedFinding[]> {
  const findings = new Map<string, PlacedFinding>();
  for (const [set, assembly] of assemblies) {
    const startTime = performance.now();
    for (const finding of await scanOnce(scanner, assembly)) {
      const { rule, place } = finding;
      findings.set(`${set} ${rule} ${place}`, { ...finding, set, scanner: scanner.name });
    }
    const seconds = Math.round((performance.now() - startTime) / 1000);
    process.stderr.write(`${scanner.name}: ${set}, ${seconds} s\n`);
  }
  return [...findings.values()];
}

/** The name of an assembly contains a hash of the sources, so the findings of an earlier run are still right. */
async function scanOnce(scanner: Scanner, assembly: string): Promise<readonly Finding[]> {
  const file = join(OUTPUT, `${basename(assembly)}-${scanner.name}.json`);
  const text = await readIfThere(file);
  if (text !== undefined) return JSON.parse(text);
  const findings = await scanner.scan(assembly, { guardRules: values['guard-rules'] });
  await mkdir(OUTPUT, { recursive: true });
  await writeFile(file, JSON.stringify(findings));
  return findings;
}

const findReason = ({ scanner, rule, place }: PlacedFinding) =>
  ACCEPTED.find(
    (accepted) =>
      accepted.scanner === scanner && accepted.rules.includes(rule) && (accepted.places?.test(place) ?? true),
  );

function report(
  findings: readonly PlacedFinding[],
  {
    ran,
    missing,
    assemblies,
  }: {
    readonly ran: readonly string[];
    readonly missing: readonly string[];
    readonly assemblies: readonly unknown[];
  },
): number {
  const lines: string[] = [];
  for (const scanner of ran) {
    const own = findings.filter((finding) => finding.scanner === scanner);
    const rules = Map.groupBy(own, ({ rule }) => rule);
    lines.push(`${scanner}: ${own.length} findings of ${rules.size} rules in ${assemblies.length} sets of templates`);
    for (const [rule, ofRule] of rules) {
      const reasons = new Set(ofRule.map(findReason));
      for (const accepted of reasons) {
        const count = ofRule.filter((finding) => findReason(finding) === accepted).length;
        if (accepted) lines.push(`  ${rule}, ${count} places: ${accepted.reason}`);
      }
    }
  }
  const unexplained = findings.filter((finding) => findReason(finding) === undefined);
  const rulesFound = new Set(findings.map(({ scanner, rule }) => `${scanner} ${rule}`));
  // A part of the sets may lack the finding of a rule.
  const expected = values.set ? [] : ACCEPTED.filter(({ scanner }) => ran.includes(scanner));
  const idle = expected.flatMap(({ scanner, rules }) =>
    rules.map((rule) => `${scanner} ${rule}`).filter((rule) => !rulesFound.has(rule)),
  );
  for (const [rule, ofRule] of Map.groupBy(unexplained, (finding) => `${finding.scanner} ${finding.rule}`)) {
    lines.push(`UNEXPLAINED ${rule}, ${ofRule.length} places: ${ofRule[0]?.message}`);
    for (const { set, place } of ofRule.slice(0, SHOWN_PLACES)) lines.push(`    ${place} in ${set}`);
  }
  for (const rule of idle) lines.push(`WITHOUT A FINDING ${rule}: remove it from accepted.ts`);
  for (const how of missing) lines.push(`NOT RUN ${how}`);
  lines.push(`${findings.length} findings, ${unexplained.length} unexplained`);
  process.stdout.write(`${lines.join('\n')}\n`);
  if (unexplained.length > 0 || idle.length > 0) return 1;
  return missing.length > 0 ? 3 : 0;
}

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await scanAll();
