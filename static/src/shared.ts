// What the page and most of the parts that are loaded later have in common. Each of those parts imports it first, so that the
// bundler puts all of it into one chunk, which the page has already, rather than into one for each set of parts that share a file.

import "./store/api";
import "./store/cells";
import "./store/checks";
import "./store/counts";
import "./store/format";
import "./store/fuzzy";
import "./store/model";
import "./store/notes";
import "./store/pages";
import "./store/phases";
import "./store/prefs";
import "./store/profile";
import "./store/state";
import "./store/steps";
import "./store/timers";
import "./store/took";
import "./widgets/dialogs";
import "./widgets/dom";
import "./widgets/errors";
import "./widgets/glyphs";
import "./widgets/icons";
import "./widgets/latestyle";
import "./widgets/menus";
import "./widgets/paint";
