// Numbers that a seed makes up; OPTRACE_SEED repeats a run.
export function seeded() {
  const seed = Number(process.env.OPTRACE_SEED ?? 1 + Math.floor(Math.random() * 0x7ffffffd));
  console.log(`seed ${seed}`);
  let state = seed;
  return {seed, random: () => (state = (state * 48271) % 0x7fffffff) / 0x7fffffff};
}
