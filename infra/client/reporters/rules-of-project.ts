/**
 * The rules of the project, for the frameworks whose tests can be skipped or quarantined. The annotations of a test say
 * which rules were applied to it.
 */
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import {
  getAppliedType,
  MATCH_TYPE,
  makeRuleAnnotation,
  type RuleAnnotation,
  type RuleOperation,
} from '#shared/model/rules/rule-annotations.ts';
import { isRuleMatch, type Matchable } from '#shared/rules/match.ts';
import { type KeyPlace, sendWithKey } from '../settings/job-key.ts';
import { isObject } from '../settings/json.ts';
import type { Settings } from './settings.ts';

/** The longest time that tests wait for the rules, in milliseconds. */
export const LONGEST_WAIT = 10_000;

export interface ServedRule extends Pick<AppliedRule, 'name' | 'matcher'> {
  readonly _id: string;
  readonly action: readonly { readonly op: string; readonly details?: { readonly tags?: readonly string[] } }[];
}

/** Asks for the rules. Returns none if they cannot be read, so that the tests run as usual. */
export async function fetchProjectRules(settings: KeyPlace): Promise<readonly ServedRule[]> {
  const { url, project } = settings;
  const signal = AbortSignal.timeout(LONGEST_WAIT);
  try {
    const address = `${url}/v1/rules/project/${encodeURIComponent(project)}`;
    const send = (key: string) => fetch(address, { headers: { authorization: `Bearer ${key}` }, signal });
    const answer = await sendWithKey(settings, send, { signal });
    if (!answer.ok) throw new Error(`The service answered ${answer.status}`);
    const body: unknown = await answer.json();
    const rules = isObject(body) ? body['rules'] : undefined;
    return Array.isArray(rules) ? rules : [];
  } catch {
    console.error('Rundown  the rules of the project could not be read, so they do not apply');
    return [];
  }
}

export function toGitInfo(settings: Settings | undefined): Matchable['gitInfo'] {
  const { branch, authorName, authorEmail, remoteOrigin, message } = settings?.commit ?? {};
  return { branch, authorName, authorEmail, remoteOrigin, message };
}

/** The rules that match a test. `skip` and `quarantine`: the first rule with this action. */
export interface RuleMatch {
  readonly skip: ServedRule | undefined;
  readonly quarantine: ServedRule | undefined;
  readonly all: readonly ServedRule[];
}

/** Rules may have conditions about errors, so a failed test can match other rules than it did before it ran. */
export function matchRules(rules: readonly ServedRule[], test: Matchable): RuleMatch {
  const all = rules.filter(({ matcher }) => isRuleMatch(matcher, test));
  const first = (operation: RuleOperation) => all.find(({ action }) => action.some(({ op }) => op === operation));
  return { skip: first('skip'), quarantine: first('quarantine'), all };
}

export function listRuleAnnotations(
  { skip, quarantine, all }: RuleMatch,
  effect?: 'skip' | 'quarantine',
): RuleAnnotation[] {
  const tagAnnotations = all.flatMap((rule) => {
    const tags = rule.action.flatMap(({ op, details }) => (op === 'tag' ? (details?.tags ?? []) : []));
    return tags.length > 0 ? makeAnnotation(getAppliedType('tag'), rule, 'tag', tags) : [];
  });
  if (effect === 'skip') return [...tagAnnotations, ...makeAnnotation(getAppliedType('skip'), skip, 'skip')];
  return [
    ...tagAnnotations,
    ...makeAnnotation(MATCH_TYPE, quarantine, 'quarantine'),
    ...(effect === 'quarantine' ? makeAnnotation(getAppliedType('quarantine'), quarantine, 'quarantine') : []),
  ];
}

const makeAnnotation = (
  type: string,
  rule: ServedRule | undefined,
  operation: RuleOperation,
  tags?: readonly string[],
): RuleAnnotation[] => (rule ? [makeRuleAnnotation(type, rule._id, operation, tags)] : []);

export const formatRuleNote = (effect: 'Skipped' | 'Quarantined', rule: ServedRule | undefined): string =>
  `${effect} by the rule "${rule?.name}"`;

/** The reporter reads tags from the annotations, because tests run in another process. */
export const listRuleTags = (
  annotations: readonly { readonly type: string; readonly description?: string | undefined }[],
): string[] =>
  annotations.flatMap(({ type, description = '' }) => {
    if (type !== getAppliedType('tag')) return [];
    try {
      const { tags }: { readonly tags?: unknown } = JSON.parse(description);
      return Array.isArray(tags) ? tags.map(String) : [];
    } catch {
      return [];
    }
  });
