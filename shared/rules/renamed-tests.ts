/**
 * §4.4.11 Tests that imports name otherwise than an earlier release. Their rules, known issues and quarantines would
 * silently end, so each import names those that still have the former name of a test, until a person moves them.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { put } from '#shared/engine/table/writes.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import {
  getIssueQuarantinesSpan,
  type IssueQuarantine,
  issueQuarantines,
} from '#shared/model/issues/issue-automation.ts';
import { getProjectIssuesSpan, type KnownIssue, knownIssues } from '#shared/model/issues/known-issue.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import { getRenamedTestsSpan, type RenamedTest, renamedTests } from '#shared/model/rules/renamed-test.ts';
import { type AppliedRule, appliedRules, unpackRules } from '#shared/model/rules/rule.ts';
import type { RuleMatcher } from '#shared/model/rules/rule-matcher.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { isRuleMatch, pickLastingPart } from './match.ts';
import { type NamedTest, parseLiteral } from './quarantine-of-test.ts';
import { toMatchable } from './quarantines.ts';
import { hasExpired } from './status.ts';
import { tryRunWithin } from './within-time.ts';

/** A test under its former and its present name. */
export type Renaming = Pick<RenamedTest, 'from' | 'to'>;

/** What still has the former name of a test. */
interface LeftBehind {
  /** Active rules that matched the former name, and do not match the present one. */
  readonly rules: readonly AppliedRule[];
  readonly issues: readonly KnownIssue[];
  /** The quarantine that ends with the issues of the test. */
  readonly quarantine: IssueQuarantine | undefined;
}

export interface LeftTest extends Renaming, LeftBehind {
  /** The signatures of the test under its former and its present name. */
  readonly signature: string;
  readonly presentSignature: string;
}

/** What of a project may have former names. */
interface Holders {
  readonly rules: readonly NameRule[];
  readonly issues: ReadonlyMap<string, readonly KnownIssue[]>;
  readonly quarantines: ReadonlyMap<string, IssueQuarantine>;
}

/** Returns a warning about each. A test counts only if the project has results of it under its former name. */
export async function noteRenamedTests(
  services: WithClock,
  { organizationId, projectId }: ProjectKey,
  renamings: readonly Renaming[],
): Promise<string[]> {
  if (renamings.length === 0) return [];
  const project = { organizationId, projectId };
  const holders = await readHolders(services, project);
  if (holders.rules.length === 0 && holders.issues.size === 0) return [];
  const candidates = findLeftBehind(holders, project, renamings).slice(0, RULE_LIMITS.renamedShown);
  const recordFlags = await mapConcurrently(candidates, ({ signature }) => hasResults(services, project, signature));
  const leftTests = candidates.filter((_, index) => recordFlags[index]);
  const expiresAt = Math.ceil(services.now() / 1000) + RULE_LIMITS.renamedDays * DAY_SECONDS;
  await services.table.writeMany(
    leftTests.map(({ signature, from, to }) => put(renamedTests, { ...project, signature, from, to, expiresAt })),
  );
  return leftTests.map(formatWarning);
}

/** The renamed tests of a project that still have something under their former names. */
export async function listRenamedTests(services: WithClock, project: ProjectKey): Promise<LeftTest[]> {
  const span = getRenamedTestsSpan(project);
  const { rows } = await services.table.query(renamedTests, span, {
    limit: RULE_LIMITS.renamedShown,
    consistent: true,
  });
  if (rows.length === 0) return [];
  const { organizationId, projectId } = project;
  const projectKey = { organizationId, projectId };
  const holders = await readHolders(services, projectKey);
  const renamings = rows.map(({ item }) => item);
  return findLeftBehind(holders, projectKey, renamings);
}

async function readHolders({ table, now }: WithClock, project: ProjectKey): Promise<Holders> {
  const [appliedRow, issues, quarantines] = await Promise.all([
    table.get(appliedRules, project, { consistent: true }),
    table.queryAll(knownIssues, getProjectIssuesSpan(project), { consistent: true }),
    table.queryAll(issueQuarantines, getIssueQuarantinesSpan(project), { consistent: true }),
  ]);
  const rules = appliedRow ? unpackRules(appliedRow).filter((rule) => !hasExpired(rule, now())) : [];
  return {
    rules: rules.flatMap((rule) => toNameRule(rule) ?? []),
    issues: Map.groupBy(issues, ({ signature }) => signature),
    quarantines: new Map(quarantines.map((one) => [one.signature, one])),
  };
}

/** If matching takes too long, the rules of the remaining tests are left out. */
function findLeftBehind(
  { rules, issues, quarantines }: Holders,
  project: ProjectKey,
  renamings: readonly Renaming[],
): LeftTest[] {
  const lostRules = renamings.map((): AppliedRule[] => []);
  tryRunWithin(RULE_LIMITS.matchMilliseconds, () => {
    for (const [index, { from, to }] of renamings.entries())
      for (const { rule, matches } of rules) if (matches(from) && !matches(to)) lostRules[index]?.push(rule);
  });
  return renamings.flatMap(({ from, to }, index) => {
    const signature = deriveSignature({ ...project, ...from });
    const left = {
      rules: lostRules[index] ?? [],
      issues: issues.get(signature) ?? [],
      quarantine: quarantines.get(signature),
    };
    const isEmpty = left.rules.length === 0 && left.issues.length === 0 && !left.quarantine;
    return isEmpty ? [] : { from, to, signature, presentSignature: deriveSignature({ ...project, ...to }), ...left };
  });
}

interface NameRule {
  readonly rule: AppliedRule;
  readonly matches: (test: NamedTest) => boolean;
}

/** Most rules name one test exactly, and comparing texts is much faster than a pattern for each test. */
function toNameRule(rule: AppliedRule): NameRule | undefined {
  const matcher = pickLastingPart(rule.matcher);
  if (!matcher) return undefined;
  const file = findExactName(matcher, 'file');
  const title = findExactName(matcher, 'title');
  if (file === undefined || title === undefined || matcher.cond.length !== 2)
    return { rule, matches: (test) => isRuleMatch(matcher, toMatchable(test)) };
  return { rule, matches: (test) => test.spec === file && (test.title.at(-1) ?? '') === title };
}

function findExactName({ op, cond }: RuleMatcher, type: 'file' | 'title'): string | undefined {
  const [condition, ...others] = cond.filter((one) => one.type === type);
  if (op !== 'AND' || condition?.op !== 'eq' || others.length > 0) return undefined;
  return parseLiteral(condition.value);
}

async function hasResults({ table, now }: WithClock, { organizationId }: ProjectKey, signature: string) {
  const span = getHistorySpan({ organizationId, signature, list: 'all' }, 0, now() + 1);
  const { rows } = await table.query(history, span, { limit: 1 });
  return rows.length > 0;
}

export const formatNamedTest = ({ spec, title }: NamedTest): string => [spec, ...title].join(' › ');

/** Ends with what to do. */
function formatWarning({ from, to, rules, issues }: LeftTest): string {
  const names = [
    ...rules.map(({ name }) => `the rule "${shortenName(name)}"`),
    ...issues.map(({ key }) => `the issue ${shortenName(key)}`),
  ];
  const shownNames = names.slice(0, SHOWN_HOLDERS);
  if (names.length > SHOWN_HOLDERS) shownNames.push(`${names.length - SHOWN_HOLDERS} more`);
  const what = shownNames.join(' and ') || 'a quarantine';
  const formerName = shortenName(formatNamedTest(from));
  const presentName = shortenName(formatNamedTest(to));
  return `Move ${what} on the page "Rules": "${formerName}" is now called "${presentName}"`;
}

const SHOWN_HOLDERS = 2;
const SHOWN_CHARACTERS = 60;
const shortenName = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${takeFirstCharacters(text, SHOWN_CHARACTERS - 1)}…` : text;
