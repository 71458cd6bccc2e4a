/** §4.4.11 A rule: what a runner does with the tests that the rule matches. The API calls it an action. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { RuleAction, RuleMatcher } from './rule-matcher.ts';

export interface Rule extends ProjectKey {
  /** The id of the rule, which begins with the id of its project. */
  readonly actionId: string;
  /** The version of the rule. Each change increments it. */
  readonly v: number;
  readonly name: string;
  readonly description: string | null;
  readonly action: readonly RuleAction[];
  readonly matcher: RuleMatcher;
  /** Expiry of the rule in epoch milliseconds. */
  readonly expiresAfter: number | null;
  /** When and by whom the rule was created and changed: times in epoch milliseconds, and names of actors. */
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt?: number;
  readonly updatedBy?: string;
  readonly disabledAt?: number;
  readonly disabledBy?: string;
  readonly archivedAt?: number;
  readonly archivedBy?: string;
  /** TTL of an archived rule, in epoch seconds. */
  readonly expiresAt?: number;
}

export type RuleKey = Pick<Rule, 'organizationId' | 'projectId' | 'actionId'>;
const getPartition = ({ organizationId, projectId }: ProjectKey): string =>
  composeKey('RULES', organizationId, projectId);

export const rules: Entity<RuleKey, Rule> = {
  type: 'rule',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'A rule by id (which begins with its project id)', of: { actionId: 'rule' } },
    { question: 'Rules of a project by creation', begins: 'RULE#' },
  ],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('RULE', row.actionId) }),
  store: toAttributes,
  load: loadAttributes,
};

/** Archived rules have their own sort keys, so that many archived rules do not slow down the list of active rules. */
export const archivedRules: Entity<RuleKey, Rule> = {
  ...rules,
  type: 'rule, archived',
  patterns: [
    { question: 'An archived rule by id', of: { actionId: 'rule' } },
    { question: 'Archived rules of a project by creation', begins: 'ARCHIVED#' },
  ],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('ARCHIVED', row.actionId) }),
};

export const getRulesSpan = (project: ProjectKey) => getPrefixSpan(getPartition(project), composePrefix('RULE'));
export const getArchivedRulesSpan = (project: ProjectKey) =>
  getPrefixSpan(getPartition(project), composePrefix('ARCHIVED'));

/** A rule as runners get it. */
export type AppliedRule = Pick<Rule, 'actionId' | 'v' | 'name' | 'action' | 'matcher' | 'createdAt' | 'expiresAfter'>;

/** All rules that the runners of a project apply, in one row, so that a runner gets them with a single read. */
export interface AppliedRules extends ProjectKey {
  /** Optimistic lock: the number of changes to this row. */
  readonly version: number;
  /** The number of rules that are not archived. */
  readonly count: number;
  readonly packed: Uint8Array;
}

export const appliedRules: Entity<ProjectKey, AppliedRules> = {
  type: 'rules, applied',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'The rules that runners of a project apply' }],
  key: (row) => ({ pk: getPartition(row), sk: 'APPLIED' }),
  store: toAttributes,
  load: loadAttributes,
};

export const packRules = (ruleList: readonly AppliedRule[]): Uint8Array => pack(ruleList);
export const unpackRules = ({ packed }: Pick<AppliedRules, 'packed'>): AppliedRule[] => unpack<AppliedRule[]>(packed);
