/** §7 How a request names a run, a spec file or a test: by ids, or by the names that people know. */
import * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, spec, title } from '#shared/model/names.ts';

export const targetMembers = {
  runId: id.optional().meta({ description: 'Id of a run. `instanceId` and `ciBuildId` may name the run instead' }),
  ciBuildId: id.optional().meta({ description: 'CI build id of the run, instead of `runId`' }),
  projectId: id
    .optional()
    .meta({ description: 'Id of the project, if runs of several projects have this `ciBuildId`' }),
  instanceId: id.optional().meta({ description: 'Id of a spec file of the run' }),
  spec: spec.optional().meta({ description: 'Path of a spec file of the run, instead of `instanceId`' }),
  testId: id.optional().meta({
    description: 'Id of a test. Without a spec file, only spec files with failed, skipped or flaky tests are searched',
  }),
  title: title.optional().meta({
    description:
      'Title of a test, as the path of its parts, instead of `testId`. Without a spec file, only spec files with failed, skipped or flaky tests are searched',
  }),
  attempt: z
    .int()
    .min(0)
    .max(MODEL_LIMITS.attemptsPerTest)
    .optional()
    .meta({ description: 'Attempt of the test, from 0. Default: the last one with an error, else the last one' }),
};

/** The inputs that MCP tools do not accept, because other tools return the ids. The texts say what to use instead. */
export const NOT_FOR_AGENTS = {
  ciBuildId: 'Use `runId` from find_run',
  spec: 'Use `instanceId` from get_context',
  title: 'Use `testId` from get_context',
};

const Target = z.object(targetMembers);
export type Target = z.output<typeof Target>;

/** §7 One match of an ambiguous request. */
export const Candidate = z
  .object({
    runId: z.string(),
    ciBuildId: z.string(),
    instanceId: z.string().optional(),
    groupId: z.string().optional(),
    spec: z.string().optional(),
    machineId: z.string().nullable().optional(),
    testId: z.string().optional(),
    title: z.array(z.string()).optional(),
  })
  .meta({ id: 'TargetCandidate' });
export type Candidate = z.infer<typeof Candidate>;
