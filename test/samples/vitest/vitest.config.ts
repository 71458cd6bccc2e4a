import { defineConfig } from 'vitest/config';

const { REPORTER = '', REPORTS_FOLDER, TWO_PROJECTS } = process.env;
const junit: [string, { outputFile: string }][] = REPORTS_FOLDER
  ? [['junit', { outputFile: `${REPORTS_FOLDER}/junit.xml` }]]
  : [];
const project = (name: string) => ({ extends: true as const, test: { name } });

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.spec.ts'],
    // One process runs all files, which saves time.
    isolate: false,
    maxWorkers: 1,
    reporters: ['default', [REPORTER, {}], ...junit],
    ...(TWO_PROJECTS ? { projects: [project('retail'), project('wholesale')] } : {}),
  },
});
