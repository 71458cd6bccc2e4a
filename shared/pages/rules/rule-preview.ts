/** §4.4.11 Computes the preview that the rule form shows. */
import { ApiError } from '#shared/engine/errors.ts';
import { describeIssue } from '#shared/engine/http/problem.ts';
import type { Rule } from '#shared/model/rules/rule.ts';
import { Matcher } from '#shared/rules/matcher-wire.ts';
import { buildPreview, type Preview } from '#shared/rules/preview.ts';
import type { WithClock } from '#shared/services.ts';
import { type RuleDraft, toMatcher } from './rule-fields.ts';

/** Returns an error message if the conditions are invalid, or if checking them takes too long. */
export async function computePreview(
  services: WithClock,
  project: Pick<Rule, 'organizationId' | 'projectId'>,
  draft: RuleDraft,
): Promise<Preview | { readonly problem: string }> {
  const matcher = Matcher.safeParse(toMatcher(draft), { error: describeIssue });
  if (!matcher.success) {
    const [issue] = matcher.error.issues;
    const path = issue?.path ?? [];
    const message = issue?.message ?? 'is not valid';
    const index = path.find((part): part is number => typeof part === 'number');
    if (index !== undefined) return { problem: `Condition ${index + 1} ${message}.` };
    return { problem: path.includes('cond') ? 'Add a condition with a value.' : `The rule ${message}.` };
  }
  try {
    return await buildPreview(services, project, matcher.data);
  } catch (error) {
    if (error instanceof ApiError) return { problem: error.message };
    throw error;
  }
}
