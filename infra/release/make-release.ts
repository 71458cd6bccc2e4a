/**
 * `npm run release`: makes a release here, and publishes nothing. `-- --dry-run` only says what it would do, `--sign`
 * signs the tag, and `--osv <url>` asks another server for advisories. `--without-deployment-test "<reason>"` is for a
 * machine without the emulator of the deployment test: the release notes then state the reason.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { bundleFunctions } from '#infra/build/bundle.ts';
import { loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { findAdvisories, OSV_URL } from './advisories.ts';
import { listBundledPackages } from './bundled-packages.ts';
import { CannotRelease, release } from './release.ts';
import { useTemporaryFolder, writeReleaseFiles } from './release-files.ts';
import { buildSbom } from './sbom.ts';

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    'without-deployment-test': { type: 'string' },
    sign: { type: 'boolean', default: false },
    'accept-advisories': { type: 'string' },
    osv: { type: 'string', default: OSV_URL },
  },
});

/** `npm run test:deploy` ends with this status if there is no emulator. */
const NOT_RUN = 3;

function testDeployment(): string {
  const reason = values['without-deployment-test'];
  if (reason !== undefined) return `\`npm run test:deploy\` was not run for this release: ${reason}`;
  const { status } = spawnSync('npm', ['run', 'test:deploy'], { cwd: PROJECT, stdio: 'inherit' });
  if (status === NOT_RUN)
    throw new CannotRelease(
      'The deployment test cannot run here. Install its emulator as it says above, or pass --without-deployment-test "<reason>": the release notes then state the reason',
    );
  if (status !== 0) throw new CannotRelease('The deployment test failed: see above');
  return 'This commit was deployed, updated from the release before, rolled back, restored and destroyed on an emulator by `npm run test:deploy`.';
}

try {
  await release({
    project: PROJECT,
    today: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
    dryRun: values['dry-run'],
    say: console.log,
    // The recording runs as a test, because it needs a service with a fixed clock.
    record: () => {
      const args = ['vitest', 'run', '--config', 'test/tools/release/vitest.config.ts'];
      const { status } = spawnSync('npx', args, { cwd: PROJECT, stdio: 'inherit' });
      if (status !== 0) throw new CannotRelease('The recording failed: see above');
    },
    testDeployment,
    findAdvisories: async () => findAdvisories(await buildSbom(await listBundledPackages()), values.osv),
    acceptance: values['accept-advisories'],
    signs: values.sign,
    writeFiles: (folder, commit) =>
      useTemporaryFolder(async (bundles) => {
        await bundleFunctions(bundles, await loadFunctions(), commit);
        await writeReleaseFiles(folder, { bundles, bundled: await listBundledPackages() });
      }),
  });
} catch (error) {
  if (!(error instanceof CannotRelease)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
