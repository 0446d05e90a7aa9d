export const offlineMode = `
Offline mode for the mobile app | I inspect wind turbines, and there is no signal up there. I need to fill in my forms offline and send them later.
Work offline and sync later | On the train between Lyon and Turin {p} is a white page for two hours. Let me keep writing and merge when I am back.
Please add an offline mode | Our warehouse has thick walls and bad Wi-Fi. Everything stops whenever the connection drops for ten seconds.
Full offline support on the desktop | The desktop app is a browser in disguise: pull the cable and nothing opens. I would like to see the last hundred documents kept on disk.
Offline mode with conflict resolution | Two of us edited the same page on a plane, and the later one silently won. Show both versions and ask.
Choose what is kept offline | I do not want 40 GB on my tablet, only the three projects that I take along. A checkbox per folder would be perfect.
Pin folders for offline use | Recently opened files are cached, but never the one I need in the field. Pinning would make it predictable.
Mark a project as available offline | Before a trip I open every page one after another so that it is cached. A single switch on the project could do that.
Show clearly that I am offline | {p} looks exactly the same without a connection until I press save and lose my text. A small banner would have spared me an hour.
Offline search | Documents open without a network now, thank you. Searching in them still needs a connection, though.
Queue uploads while offline | Photos taken without signal are simply rejected. Keep them in a queue and send them when there is Wi-Fi.
Do not sign me out when I am offline | After a day without internet the app demands a login, which of course needs internet.
Offline maps in the field app | We survey forests. Could you add a download of the map for a region?
Sync only on Wi-Fi | My data plan is 2 GB and offline changes of the whole team arrive on the motorway. Let me choose when.
Offline access for read-only users | Guests need the handbook in the basement where the machines are. Reading without a network is enough for them.
Offline installation of updates | Our site has no internet by policy. Please offer the update as a file that I can carry in.
Background sync before I leave the house | It would be great if {p} fetched everything at six in the morning while the tablet is on the charger.
Local-first storage | I wish my notes lived on my disk and the cloud were only the copy. Then offline would not be a mode at all.
Export an offline copy as a website | Auditors want a copy on a stick that opens without the service. A folder of HTML files would make them happy.
Offline mode in the browser | The phone app manages without a connection, so a service worker ought to do the same for the web version.
Tell me which changes are not synced yet | After a week offline I am never sure whether everything went up. A list with check marks would calm me down.
Undo after a bad offline merge | The merge put my paragraphs in alphabetical order, it seems. Going back to what each of us had would be enough.
Offline mode should include comments | Texts are there, the discussion beside them is not, so I cannot answer my editor on the ferry.
Offline templates | New documents need a connection only because templates are loaded from the server.
! Offline for two hours again, status page says all green | Third outage this month. Is anybody awake?
! Works offline for me | Not sure what everyone complains about, I just open it and it works.
! The ferry in winter | It is offline until March, says the operator, and the island waits.
`

export const syncConflicts = `
Show a diff when a sync conflict happens | "Conflicted copy (3)" tells me nothing. I wish {p} showed both versions side by side.
Selective sync by file type | My laptop has no room for raw video. Please add a rule that leaves out *.mov.
Sync over the local network | Two computers on one desk exchange files through a data centre 800 km away.
Pause sync for an hour | In video calls the upload eats my bandwidth. A pause that ends by itself would be nice.
Faster sync of many small files | Ten thousand icons take forty minutes to sync, one film of the same size takes two. Packing them together might help.
Sync status in the file list | I close the lid and learn on Monday that half of it never left my machine.
Two-way sync with a WebDAV folder | Our university gives us WebDAV and nothing else.
Keep deleted files for 90 days | Sync removed a folder everywhere within seconds after a slip. Thirty days were not enough for us to notice.
Bandwidth limit per schedule | Full speed at night, a trickle during the day. Sync should support office hours.
Ignore list like .gitignore | node_modules has no business in any sync. One text file with patterns, please.
Sync settings and snippets too | My files arrive on the new machine, my shortcuts and snippets do not.
Resume interrupted sync | After every lost connection the 8 GB file starts again from zero.
`
