/** §5.1 What the identity token of a CI job proved. */
import * as z from 'zod';
import { CI_PROVIDER_NAMES, type Origin } from '#shared/model/runs/origin.ts';

export const OriginWire = z
  .object({
    provider: z.enum(CI_PROVIDER_NAMES),
    issuer: z.string(),
    repository: z.string(),
    repositoryId: z.string().meta({ description: 'Stays the same when the repository is renamed' }),
    event: z.string().meta({ description: 'What started the build, such as `push`' }),
    ref: z.string(),
    sha: z.string().meta({ description: 'Of a pull request, this may be a temporary merge commit' }),
    provesCommit: z.boolean().meta({ description: 'Whether the tests ran on `sha`. If not, the job named the commit' }),
    person: z.string().nullable().meta({ description: 'Who started the build' }),
    workflow: z.string().nullable().meta({ description: 'The file that defines the job' }),
  })
  .meta({ id: 'Origin' });

export const presentOrigin = ({ trustId, person, workflow, ...origin }: Origin): z.input<typeof OriginWire> => ({
  ...origin,
  person: person ?? null,
  workflow: workflow ?? null,
});
