/** What spec files that did not pass clean left behind, as far as the run shows it: pictures and the first video. */
import * as z from 'zod';
import { mapConcurrently } from '../concurrently.ts';
import { leavesEvidence } from '../outcomes.ts';
import { artifacts, artifactsOfInstance } from '../resources/artifact.ts';
import { type Instance, reportedTests } from '../resources/instance.ts';
import type { Services } from '../services.ts';
import { InstanceFiles, linkFiles } from './instance-files.ts';

export const SpecFiles = z.object({
  videoUrl: z.string().nullable().meta({ description: 'Of the first test that left one; only where a test failed' }),
  screenshots: InstanceFiles.shape.screenshots,
});
type SpecFiles = z.infer<typeof SpecFiles>;

const NO_FILES: SpecFiles = { videoUrl: null, screenshots: [] };

/** By instance id. Spec files that passed clean are not asked: there may be thousands, and nobody looks at theirs. */
export async function specFilesOf(services: Services, all: readonly Instance[]): Promise<(of: Instance) => SpecFiles> {
  const failed = all.filter((instance) => reportedTests(instance).some(leavesEvidence));
  const found = await mapConcurrently(failed, async (instance) => {
    const stored = await services.table.queryAll(artifacts, artifactsOfInstance(instance));
    const shown = stored.filter(({ type }) => type === 'screenshot' || type === 'video');
    const { screenshots, videos } = await linkFiles(services.artifacts, shown);
    return [instance.instanceId, { videoUrl: videos[0]?.videoUrl ?? null, screenshots }] as const;
  });
  const files = new Map<string, SpecFiles>(found);
  return ({ instanceId }) => files.get(instanceId) ?? NO_FILES;
}
