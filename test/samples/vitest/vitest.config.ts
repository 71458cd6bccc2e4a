import { defineConfig } from 'vitest/config';

const { REPORTER = '', REPORTS_FOLDER, TWO_PROJECTS } = process.env;
const project = (name: string) => ({ extends: true as const, test: { name } });

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.spec.ts'],
    // One process runs all files, which saves time.
    isolate: false,
    maxWorkers: 1,
    reporters: [
      'default',
      [REPORTER, {}],
      ...(REPORTS_FOLDER ? ([['junit', { outputFile: `${REPORTS_FOLDER}/junit.xml` }]] as const) : []),
    ],
    ...(TWO_PROJECTS ? { projects: [project('retail'), project('wholesale')] } : {}),
  },
});
