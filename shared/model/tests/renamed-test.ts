/**
 * A test that an import records under another name than an earlier release, while rules or issues still have its former
 * name. Access pattern: the renamed tests of a project.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { rulesSpan } from './rule.ts';

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
  patterns: [
    {
      question: 'Tests whose rules or issues have a former name of the test',
      key: 'pk = RULES#org#project, sk = RENAMED#signature',
    },
  ],
  key: ({ signature, ...project }) => ({ pk: rulesSpan(project).pk, sk: composed('RENAMED', signature) }),
  store: attributesOf,
  load: stored,
};

export const renamedTestsSpan = (project: ProjectKey) => beginningWith(rulesSpan(project).pk, prefix('RENAMED'));
