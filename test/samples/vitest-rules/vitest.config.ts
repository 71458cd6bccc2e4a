import { defineConfig } from 'vitest/config';

/** Tests that rules skip, quarantine and tag. Without rules, four of them fail. */
export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    reporters: ['default', 'rundown-cli/vitest'],
    setupFiles: ['rundown-cli/vitest-rules'],
  },
});
