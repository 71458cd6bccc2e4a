/** Applies the rules of the project: `setupFiles: ['rundown-cli/vitest-rules']`. */
export {};
