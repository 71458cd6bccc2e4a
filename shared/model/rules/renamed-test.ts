/** A test that an import records under another name than before, while rules or issues have its former name. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { getRulesSpan } from './rule.ts';

interface TestName {
  readonly spec: string;
  readonly title: readonly string[];
}

export interface RenamedTest extends ProjectKey {
  /** The signature of the test under its former name. */
  readonly signature: string;
  readonly from: TestName;
  readonly to: TestName;
  /** TTL in epoch seconds. Each import extends it. */
  readonly expiresAt: number;
}

export const renamedTests: Entity<ProjectKey & Pick<RenamedTest, 'signature'>, RenamedTest> = {
  type: 'renamed test',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Tests whose rules or issues have a former name of the test' }],
  key: (test) => ({ pk: getRulesSpan(test).pk, sk: composeKey('RENAMED', test.signature) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getRenamedTestsSpan = (project: ProjectKey) =>
  getPrefixSpan(getRulesSpan(project).pk, composePrefix('RENAMED'));
