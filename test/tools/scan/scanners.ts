/** The programs that look for mistakes in templates, and how their findings are read. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { listPolicies } from './policies.ts';

export interface Finding {
  readonly rule: string;
  /** The logical id of a resource, or the name of a policy. */
  readonly place: string;
  readonly message: string;
}

export interface Scanner {
  readonly name: string;
  /** The program, if it is not part of this project. */
  readonly program?: string;
  readonly install: string;
  /** Returns the findings in a cloud assembly, each once. */
  readonly scan: (assembly: string, options: ScanOptions) => Promise<readonly Finding[]>;
}

export interface ScanOptions {
  /** A checkout of the rules of cfn-guard. */
  readonly guardRules: string | undefined;
}

const PIP = 'pip install -r test/tools/scan/requirements.txt';
/** The newest commit. The last release of the registry is of 2022. */
const GUARD_RULES_COMMIT = '7f7340c26ae5d5e8874651dbffeb12e0e9f505b6';
export const GUARD_RULES =
  `git clone https://github.com/aws-cloudformation/aws-guard-rules-registry guard-rules && ` +
  `git -C guard-rules checkout ${GUARD_RULES_COMMIT}, and pass --guard-rules guard-rules`;

const BUFFER_BYTES = 1 << 30;

/** Returns what the program printed. Scanners exit with other statuses than 0 if they find something. */
const run = (program: string, words: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(program, words, { maxBuffer: BUFFER_BYTES }, (error, output, errors) => {
      if (error && typeof error.code !== 'number') reject(error);
      else if (output.trim() === '' && errors.trim() !== '') reject(new Error(`${program}: ${errors.slice(0, 2000)}`));
      else resolve(output);
    });
  });

async function listTemplates(assembly: string): Promise<string[]> {
  const files = await readdir(assembly);
  return files.filter((file) => file.endsWith('.template.json')).map((file) => join(assembly, file));
}

const LintFindings = z.array(
  z.object({
    Rule: z.object({ Id: z.string() }),
    Location: z.object({ Path: z.array(z.union([z.string(), z.number()])).nullish() }),
    Message: z.string(),
  }),
);

async function lint(assembly: string): Promise<readonly Finding[]> {
  const templates = await listTemplates(assembly);
  const output = await run('cfn-lint', ['--regions', 'ALL_REGIONS', '--format', 'json', '--', ...templates]);
  return LintFindings.parse(JSON.parse(output || '[]')).map(({ Rule, Location, Message }) => {
    const region = /does not exist in '([\w-]+)'$/.exec(Message)?.[1];
    const place = String(Location.Path?.[1] ?? '');
    return { rule: Rule.Id, place: region === undefined ? place : `${place} in ${region}`, message: Message };
  });
}

const Checked = z.object({
  results: z.object({
    failed_checks: z.array(z.object({ check_id: z.string(), resource: z.string(), check_name: z.string() })),
    parsing_errors: z.array(z.string()).default([]),
  }),
});
const CheckovReport = z.union([z.array(Checked), Checked.transform((one) => [one])]);

async function check(assembly: string): Promise<readonly Finding[]> {
  const files = (await listTemplates(assembly)).flatMap((file) => ['--file', file]);
  const words = ['--framework', 'cloudformation', '--output', 'json', '--quiet', '--compact', '--skip-download'];
  const reports = CheckovReport.parse(JSON.parse(await run('checkov', [...words, ...files])));
  return reports.flatMap(({ results: { failed_checks: failed, parsing_errors: unread } }) => {
    if (unread.length > 0) throw new Error(`checkov cannot read ${unread.join(', ')}`);
    return failed.map(({ check_id: rule, resource, check_name: message }) => ({
      rule,
      place: resource.split('.')[1] ?? resource,
      message,
    }));
  });
}

const GuardReports = z.array(
  z.object({ not_compliant: z.array(z.object({ Rule: z.looseObject({ name: z.string() }) })) }),
);
const RESOURCE = /"path":"\/Resources\/(\w+)/g;

async function guard(assembly: string, { guardRules }: ScanOptions): Promise<readonly Finding[]> {
  if (guardRules === undefined) throw new NotInstalled(`the rules of cfn-guard: ${GUARD_RULES}`);
  const data = (await listTemplates(assembly)).flatMap((file) => ['--data', file]);
  const rules = ['--rules', join(guardRules, 'rules/aws')];
  const output = ['--output-format', 'json', '--structured', '--show-summary', 'none'];
  const text = await run('cfn-guard', ['validate', ...rules, ...data, ...output]);
  return GuardReports.parse(JSON.parse(text)).flatMap(({ not_compliant: refused }) =>
    refused.flatMap(({ Rule }) => {
      const places = [...JSON.stringify(Rule).matchAll(RESOURCE)].map(([, place = '']) => place);
      // A rule that names no resource is a finding all the same.
      const named = places.length > 0 ? new Set(places) : [''];
      return [...named].map((place) => ({ rule: Rule.name, place, message: '' }));
    }),
  );
}

const ParliamentFinding = z.object({
  issue: z.string(),
  detail: z.unknown(),
  location: z.object({ filepath: z.string().nullish() }),
});

async function checkPolicies(assembly: string): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-policies-'));
  try {
    for (const { name, document } of await listPolicies(assembly))
      await writeFile(join(folder, `${name}.json`), JSON.stringify(document));
    const lines = (await run('parliament', ['--directory', folder, '--json'])).split('\n').filter(Boolean);
    return lines.map((line) => {
      const { issue, detail, location } = ParliamentFinding.parse(JSON.parse(line));
      return { rule: issue, place: basename(location.filepath ?? '', '.json'), message: JSON.stringify(detail) };
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A program or the rules that it needs are missing. */
export class NotInstalled extends Error {
  override name = 'NotInstalled';
}

export async function requireProgram({ program, install }: Scanner): Promise<void> {
  if (program === undefined) return;
  await run(program, ['--version']).catch((error: unknown) => {
    throw new NotInstalled(`${program}: ${install}`, { cause: error });
  });
}

export const SCANNERS: readonly Scanner[] = [
  // The synthesis fails for every finding that its resource does not acknowledge.
  { name: 'cdk-nag', install: 'npm ci', scan: async () => [] },
  { name: 'cfn-lint', program: 'cfn-lint', install: PIP, scan: lint },
  { name: 'checkov', program: 'checkov', install: PIP, scan: check },
  { name: 'cfn-guard', program: 'cfn-guard', install: 'cargo install cfn-guard --version 3.2.1', scan: guard },
  { name: 'parliament', program: 'parliament', install: PIP, scan: checkPolicies },
];
