// The config option that has accesses checked against the bounds of their buffers. It is on at first for programs that people
// wrote, so that it counts as no change of theirs.

import type { Settings } from "../wire";

const boundCheckers = "tir.instrument_bound_checkers";

type Config = NonNullable<Settings["config"]>;

// withChecks returns the config of somebody's first edit: checked, unless they said no.
export const withChecks = (config: Config | undefined): Config => ({ [boundCheckers]: true, ...config });

// onlyChecks returns what of a config stays when all changes are taken back.
export const onlyChecks = (config: Config | undefined): Config => (config?.[boundCheckers] === true ? { [boundCheckers]: true } : {});
